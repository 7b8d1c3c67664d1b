import { useState } from 'preact/hooks'
import type { HooklineError } from '../../client/http/api-error.ts'
import { api } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { isEmail } from '../core/credentials.ts'
import { Door } from '../parts/door.tsx'
import { Failed } from '../parts/failed.tsx'
import { Field, focusFault } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { Heading } from '../parts/page.tsx'
import { setTypedEmail, typedEmail } from '../session/access.ts'
import { settings } from '../shell/settings.ts'
import { texts } from '../texts/index.ts'

/** Asking for the mail with which a new password is chosen. */
export default function Reset() {
  const email = typedEmail.value
  const [sent, setSent] = useState(false)
  const [left, setLeft] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<HooklineError>()
  const send = async (event: Event) => {
    event.preventDefault()
    setLeft(true)
    setError(undefined)
    const form = event.currentTarget
    if (!isEmail(email)) return focusFault(form)
    setBusy(true)
    try {
      await api.POST('/v0/user/password/send', { body: { email: email.trim().toLowerCase() } })
      setSent(true)
    } catch (failure) {
      setError(asFailure(failure))
      focusFault(form)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Door foot={texts.signUp.mail}>
      <form onSubmit={send} noValidate>
        <div>
          <Heading title={texts.signIn.resetTitle} />
          <p class="quiet">{texts.signIn.resetLead}</p>
        </div>
        <Field
          label={texts.signIn.email}
          type="email"
          inputmode="email"
          autocomplete="username"
          value={email}
          onValue={setTypedEmail}
          onLeave={() => setLeft(email !== '')}
          error={left && !isEmail(email) ? texts.signIn.emailMissing : undefined}
        />
        {sent && (
          <Notice live icon="mail">
            {texts.signIn.resetSent(email)}
            {settings.value?.outbox && (
              <p>
                <a href={settings.value.outbox} target="_blank" rel="noreferrer">
                  {texts.verify.outbox}
                </a>
              </p>
            )}
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
