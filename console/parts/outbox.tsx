import { settings } from '../shell/settings.ts'
import { texts } from '../texts/index.ts'

/** The link to the mails that a service on this machine sent. */
export function Outbox() {
  const outbox = settings.value?.outbox
  return outbox ? (
    <p>
      <a href={outbox} target="_blank" rel="noreferrer">
        {texts.verify.outbox}
      </a>
    </p>
  ) : null
}
