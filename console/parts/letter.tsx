import { useEffect, useRef, useState } from 'preact/hooks'
import type { Schemas } from '../api/client.ts'
import { settings } from '../shell/settings.ts'
import { texts } from '../texts/index.ts'
import { type Verdict, verifyContent } from '../verify/verify-content.ts'
import { LongLine } from './motif.tsx'

/**
 * The sample content that the operator configured, downloaded and verified in this browser, beside the sign-in form.
 */
export function Letter() {
  const letter = settings.value?.letter
  return letter ? <ShownLetter letter={letter} /> : <section class="letter" aria-hidden="true" />
}

function ShownLetter({ letter }: { letter: NonNullable<Schemas['ConsoleSettings']['letter']> }) {
  const { blockchain, txids } = letter
  const box = useRef<HTMLQuoteElement>(null)
  const [verdict, setVerdict] = useState<Verdict>()
  const [excerpt, setExcerpt] = useState('')
  const [share, setShare] = useState(0)
  useEffect(() => {
    const root = box.current
    if (!root) return
    const content = { blockchain, txids, mimetype: 'text/plain', name: texts.letter.label(blockchain), size: 0 }
    const onProgress = (loaded: number, total: number | undefined) => setShare(total ? loaded / total : 0)
    void verifyContent(content, root, { onProgress }).then((found) => {
      // Of a long letter a few lines are shown, and there is nothing to scroll.
      root.firstElementChild?.removeAttribute('tabindex')
      setExcerpt(excerptOf(root.textContent))
      setVerdict(found)
    })
  }, [blockchain, txids])
  const name = txids[0] ?? ''
  const verified = verdict?.kind === 'verified'
  return (
    <section class="letter" aria-label={texts.letter.label(blockchain)}>
      <blockquote ref={box} class={verified ? 'shown' : 'hidden'} aria-hidden="true" />
      {verified && <p class="vh">{excerpt}</p>}
      <LongLine
        name={name}
        share={share}
        state={verified ? 'verified' : verdict?.kind === 'refused' ? 'refused' : 'reading'}
      />
      {verified ? (
        <>
          <div class="proof">
            <span class="seal">{texts.letter.verified}</span>
            <span class="mono">{texts.letter.source(txids.length, blockchain, `${name.slice(0, 10)}…`)}</span>
          </div>
          <p class="quiet">{texts.letter.note(blockchain)}</p>
        </>
      ) : (
        <p class="quiet" role="status">
          {verdict === undefined
            ? texts.letter.waiting
            : verdict.kind === 'refused'
              ? texts.letter.refused
              : texts.letter.unread}
        </p>
      )}
    </section>
  )
}

/** Characters of a letter that a screen reader reads: about what others see of it. */
const EXCERPT = 300

function excerptOf(text: string): string {
  const whole = text.replace(/\s+/g, ' ').trim()
  return whole.length <= EXCERPT ? whole : `${whole.slice(0, whole.lastIndexOf(' ', EXCERPT))} …`
}
