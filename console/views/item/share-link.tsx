import { useState } from 'preact/hooks'
import { CopyField } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { texts } from '../../texts/index.ts'

/** The link of a stored item: to copy, open and share, and as a QR code for a phone. */
export function ShareLink({ name, link }: { name: string; link: string }) {
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
