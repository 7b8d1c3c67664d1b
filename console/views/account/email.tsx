import { useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { isEmail } from '../../core/credentials.ts'
import { useTask } from '../../hooks/use-task.ts'
import { Failed } from '../../parts/failed.tsx'
import { Field, focusFault, PresentPassword } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Outbox } from '../../parts/outbox.tsx'
import { Section } from '../../parts/page.tsx'
import { accountTexts } from '../../texts/account.ts'
import { texts } from '../../texts/index.ts'

/** The email address of the account, and the request for another one. */
export function Email({ email }: { email: string }) {
  const [next, setNext] = useState('')
  const [password, setPassword] = useState('')
  const [tried, setTried] = useState(false)
  const [sent, setSent] = useState<string>()
  const { busy, error, run } = useTask()
  const wrong = error?.code === 'wrong_password'
  const ask = async (event: Event) => {
    event.preventDefault()
    setTried(true)
    setSent(undefined)
    const form = event.currentTarget
    const address = next.trim().toLowerCase()
    if (!isEmail(address) || address === email || password === '') return focusFault(form)
    const done = await run(async () => {
      await api.POST('/v0/user/email/send', { body: { email: address, password } })
      setSent(address)
      setNext('')
      setPassword('')
      setTried(false)
    })
    if (!done) focusFault(form)
  }
  return (
    <Section title={accountTexts.email}>
      <form class="form after" onSubmit={ask} noValidate>
        <p>{accountTexts.emailNow(email)}</p>
        <Field
          label={accountTexts.newEmail}
          type="email"
          inputmode="email"
          autocomplete="email"
          value={next}
          onValue={setNext}
          tried={tried}
          fault={
            !isEmail(next)
              ? accountTexts.newEmailBad
              : next.trim().toLowerCase() === email
                ? accountTexts.sameEmail
                : undefined
          }
        />
        <PresentPassword
          value={password}
          onValue={setPassword}
          error={
            wrong ? texts.loginAgain.wrongPassword : tried && password === '' ? texts.signIn.passwordMissing : undefined
          }
        />
        {sent !== undefined && (
          <Notice live icon="mail">
            <p>{accountTexts.emailSent(sent)}</p>
            <Outbox />
          </Notice>
        )}
        {error && !wrong && <Failed error={error} />}
        <p class="row">
          <button type="submit" class="btn" disabled={busy}>
            {busy ? texts.common.going(accountTexts.changeEmail) : accountTexts.changeEmail}
          </button>
        </p>
      </form>
    </Section>
  )
}
