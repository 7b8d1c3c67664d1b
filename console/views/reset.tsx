import { useState } from 'preact/hooks'
import { api } from '../api/client.ts'
import { isEmail } from '../core/credentials.ts'
import { useTask } from '../hooks/use-task.ts'
import { Door, EmailField } from '../parts/door.tsx'
import { Failed } from '../parts/failed.tsx'
import { focusFault } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { Outbox } from '../parts/outbox.tsx'
import { Heading } from '../parts/page.tsx'
import { typedEmail } from '../session/access.ts'
import { texts } from '../texts/index.ts'

/** The page that requests the mail for a new password. */
export default function Reset() {
  const email = typedEmail.value
  const [sent, setSent] = useState(false)
  const [tried, setTried] = useState(false)
  const { busy, error, run } = useTask()
  const send = async (event: Event) => {
    event.preventDefault()
    setTried(true)
    const form = event.currentTarget
    if (!isEmail(email)) return focusFault(form)
    const body = { email: email.trim().toLowerCase() }
    if (await run(() => api.POST('/v0/user/password/send', { body }))) setSent(true)
    else focusFault(form)
  }
  return (
    <Door foot={texts.signUp.mail}>
      <form onSubmit={send} noValidate>
        <div>
          <Heading title={texts.signIn.resetTitle} />
          <p class="quiet">{texts.signIn.resetLead}</p>
        </div>
        <EmailField tried={tried} />
        {sent && (
          <Notice live icon="mail">
            {texts.signIn.resetSent(email)}
            <Outbox />
          </Notice>
        )}
        {error && <Failed error={error} />}
        <button type="submit" class="btn primary big wide" disabled={busy}>
          {busy ? texts.common.going(texts.signIn.resetSend) : texts.signIn.resetSend}
        </button>
        <p>
          <a href="/console/sign-in">{texts.signIn.send}</a>
        </p>
      </form>
    </Door>
  )
}
