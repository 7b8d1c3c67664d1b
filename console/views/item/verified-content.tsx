import { useEffect, useRef, useState } from 'preact/hooks'
import type { Schemas } from '../../api/client.ts'
import { isSite } from '../../core/is-site.ts'
import { groupDigits } from '../../core/size-text.ts'
import { clockSecondsText } from '../../core/time-text.ts'
import { CopyButton, CopyField } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type LineState, LongLine } from '../../parts/motif.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { texts } from '../../texts/index.ts'
import { type Content, canVerify, type MinedProof, type Verdict, verifyContent } from '../../verify/verify-content.ts'

/** The fields of an item that the helper needs. */
export function contentOf(item: Schemas['Item']): Content {
  const { blockchain, txids, cid, name, size } = item
  // A directory is shown as its index page.
  return { blockchain, txids, cid, name, size, mimetype: item.files ? 'text/html' : item.mimetype }
}

/** A stored item, shown after its bytes were verified in this browser. */
export function VerifiedContent(props: { item: Schemas['Item']; reload?: boolean; onVerified?(): void }) {
  const { item, reload = false } = props
  const content = contentOf(item)
  const able = canVerify(content)
  const box = useRef<HTMLDivElement>(null)
  const [verdict, setVerdict] = useState<Verdict>()
  const [progress, setProgress] = useState<{ loaded: number; total: number | undefined }>()
  const [mined, setMined] = useState<MinedProof>()
  const [turn, setTurn] = useState(0)
  const { onVerified } = props
  useEffect(() => {
    const root = box.current
    if (!root || !able) return
    let over = false
    setVerdict(undefined)
    setMined(undefined)
    const onProgress = (loaded: number, total: number | undefined) => over || setProgress({ loaded, total })
    const onProof = (proof: MinedProof) => over || setMined(proof)
    void verifyContent(content, root, { reload: reload || turn > 0, onProgress, onProof }).then((found) => {
      if (over) return
      setVerdict(found)
      if (found.kind === 'verified') onVerified?.()
    })
    return () => {
      over = true
    }
  }, [item.id, able, turn])
  const name = item.cid ?? item.txids?.[0]
  if (!able) return <TooLarge item={item} name={name} />
  const state: LineState = !verdict ? 'reading' : verdict.kind === 'unread' ? 'written' : verdict.kind
  const why = verdict && whyNotShown(verdict, item.mimetype)
  const share = progress?.total ? progress.loaded / progress.total : 0
  return (
    <div>
      <figure class={content.mimetype === 'text/html' && !verdict ? 'print frame-height' : 'print'}>
        <div ref={box} class={verdict?.kind === 'verified' ? 'shown' : 'hidden'} />
        {!verdict && <p class="quiet print-note">{texts.done.shownWhen}</p>}
        {why && (
          <div class="print-note">
            <p>
              <strong>{why.title}</strong>
            </p>
            <p class="quiet">{why.text}</p>
          </div>
        )}
      </figure>
      <div class="row between proof-row">
        <div class="row">
          <LongLine name={name} state={state} share={share} />
          {verdict?.kind === 'verified' ? (
            <span class="seal">{texts.done.verifiedAt(clockSecondsText(verdict.at))}</span>
          ) : verdict?.kind === 'refused' ? (
            <span class="state bad">
              <Icon name="stop" />
              {texts.done.notVerified}
            </span>
          ) : (
            !verdict && (
              <span role="status">
                {progress?.total
                  ? texts.done.verifyingOf(groupDigits(progress.loaded), groupDigits(progress.total))
                  : texts.done.verifying}
              </span>
            )
          )}
        </div>
        {verdict && (
          <button type="button" class="btn" onClick={() => setTurn(turn + 1)}>
            <Icon name="again" />
            {verdict.kind === 'verified' ? texts.done.again : texts.done.askAnother}
          </button>
        )}
      </div>
      {name !== undefined && <p class="mono quiet small">{name}</p>}
      {verdict?.kind === 'verified' && <p class="quiet small">{texts.done.how(item.blockchain, item.size)}</p>}
      {mined && (
        <p class="quiet small" role="status">
          {texts.done.mined[mined.state](mined.depth)}
        </p>
      )}
    </div>
  )
}

/** What is said in place of content that is not shown. */
function whyNotShown(verdict: Verdict, mimetype: string): { title: string; text: string } | undefined {
  const { done } = texts
  if (verdict.kind === 'verified') return undefined
  if (verdict.kind === 'refused') return { title: done.refused, text: done.refusedWhy }
  if (verdict.code === 'not_showable') return { title: done.unshowable, text: done.unshowableWhy(mimetype) }
  return { title: done.unread, text: verdict.message }
}

/** An item that is too large for a browser: how to verify it elsewhere. */
function TooLarge({ item, name }: { item: Schemas['Item']; name: string | undefined }) {
  const command = `hookline get ${item.id}`
  return (
    <div class="stack">
      <LongLine name={name} state="written" />
      <p>{texts.done.tooLarge}</p>
      <CopyField label={texts.library.commandLine} text={command} />
    </div>
  )
}

/**
 * The link, the other address and the HTML snippet of a stored item. The link of a website is its own address: below
 * another one, paths such as `/style.css` lead out of it.
 */
export function UseIt({ item }: { item: Schemas['Item'] }) {
  const { links, embed } = item
  return (
    <>
      <ShareLink name={item.name} link={isSite(item) ? links.site : links.content} />
      {isSite(item) ? (
        <OtherAddress label={texts.done.byName} text={links.web ?? links.content} note={texts.done.byNameNote} />
      ) : (
        <OtherAddress label={texts.done.host} text={links.site} note={texts.done.hostNote} />
      )}
      {embed && (
        <div class="copy-field">
          <p class="quiet small">{texts.done.embed}</p>
          <pre class="code" tabindex={0}>
            {embed}
          </pre>
          <p class="row between after-small">
            <span class="quiet small">{texts.done.embedNote}</span>
            <CopyButton class="btn" text={embed} what={texts.done.embed} />
          </p>
        </div>
      )}
    </>
  )
}

function OtherAddress({ label, text, note }: { label: string; text: string; note: string }) {
  return (
    <div>
      <CopyField label={label} text={text} clip />
      <p class="quiet small after-small">{note}</p>
    </div>
  )
}

/** The link of a stored item: to copy, open and share, and as a QR code for a phone. */
function ShareLink({ name, link }: { name: string; link: string }) {
  const [code, setCode] = useState(false)
  return (
    <div class="stack">
      <CopyField label={texts.done.link} text={link} clip />
      <p class="row">
        <a class="btn" href={link} target="_blank" rel="noreferrer">
          <Icon name="open" />
          {texts.done.open}
        </a>
        {'share' in navigator && (
          <button
            type="button"
            class="btn"
            // The user closed the dialog of the browser, which is no error.
            onClick={() => void navigator.share({ title: name, url: link }).catch(() => undefined)}
          >
            <Icon name="up" />
            {texts.done.share}
          </button>
        )}
        <button type="button" class="btn" aria-expanded={code} onClick={() => setCode(!code)}>
          <Icon name="tiles" />
          {texts.done.code}
        </button>
      </p>
      {code && <QrCode text={link} label={texts.done.codeOf(link)} />}
    </div>
  )
}
