import { useEffect, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { api } from '../api/client.ts'
import { isEmail, isPassword } from '../core/credentials.ts'
import { countdownText, momentText } from '../core/time-text.ts'
import { useNow } from '../hooks/use-now.ts'
import { useTask } from '../hooks/use-task.ts'
import { Door, EmailField } from '../parts/door.tsx'
import { Failed } from '../parts/failed.tsx'
import { Field, focusFault } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Notice } from '../parts/notice.tsx'
import { Outbox } from '../parts/outbox.tsx'
import { Heading } from '../parts/page.tsx'
import { PasswordRules } from '../parts/password-rules.tsx'
import { signIn, typedEmail } from '../session/access.ts'
import { texts } from '../texts/index.ts'
import { chosenLanguage } from '../texts/language.ts'

const LINK_SECONDS = 86_400
const SEND_AGAIN_SECONDS = 60
const LOOK_MS = 3_000

interface Waiting {
  email: string
  /** Only while this tab is open: the tab that waits signs in by itself. */
  password: string | undefined
  wait: string | undefined
  since: number
}

/** The form of a new account, then the wait until the link in the mail is opened. */
export default function SignUp() {
  const { query } = useRoute()
  const known = query.verify
  const [waiting, setWaiting] = useState<Waiting | undefined>(
    known ? { email: known, password: undefined, wait: undefined, since: Date.now() / 1000 } : undefined,
  )
  return waiting ? <Verify waiting={waiting} onOther={() => setWaiting(undefined)} /> : <Form onSent={setWaiting} />
}

function Form({ onSent }: { onSent(waiting: Waiting): void }) {
  const [firstName, setFirstName] = useState('')
  const [lastName, setLastName] = useState('')
  const email = typedEmail.value
  const [password, setPassword] = useState('')
  const [tried, setTried] = useState(false)
  const { busy, error, run } = useTask()
  const send = async (event: Event) => {
    event.preventDefault()
    setTried(true)
    const form = event.currentTarget
    if (!firstName.trim() || !lastName.trim() || !isEmail(email) || !isPassword(password)) return focusFault(form)
    const names = { firstName: firstName.trim(), lastName: lastName.trim() }
    const chosen = chosenLanguage()
    const body = { email: email.trim().toLowerCase(), password, ...names, ...(chosen && { language: chosen }) }
    const sent = await run(async () => {
      const { wait } = await api.POST('/v0/user', { body })
      onSent({ email: body.email, password, wait, since: Date.now() / 1000 })
    })
    if (!sent) focusFault(form)
  }
  return (
    <Door foot={texts.signUp.mail}>
      <form onSubmit={send} noValidate>
        <Heading title={texts.signUp.title} />
        <div class="halves tight">
          <Field
            label={texts.signUp.firstName}
            autocomplete="given-name"
            value={firstName}
            onValue={setFirstName}
            tried={tried}
            fault={firstName.trim() ? undefined : texts.signUp.nameMissing}
          />
          <Field
            label={texts.signUp.lastName}
            autocomplete="family-name"
            value={lastName}
            onValue={setLastName}
            tried={tried}
            fault={lastName.trim() ? undefined : texts.signUp.nameMissing}
          />
        </div>
        <EmailField tried={tried} />
        <Field
          label={texts.signIn.password}
          type="password"
          autocomplete="new-password"
          value={password}
          onValue={setPassword}
          tried={tried}
          fault={isPassword(password) ? undefined : texts.signUp.passwordWeak}
        />
        <PasswordRules password={password} />
        {error && <Failed error={error} />}
        <button type="submit" class="btn primary big wide" disabled={busy}>
          {busy ? texts.signUp.sending : texts.signUp.send}
        </button>
        <p>
          {texts.signUp.have} <a href="/console/sign-in">{texts.signIn.send}</a>
        </p>
      </form>
    </Door>
  )
}

function Verify({ waiting, onOther }: { waiting: Waiting; onOther(): void }) {
  const { email, password, wait, since } = waiting
  const { route } = useLocation()
  const now = useNow()
  const [sentAt, setSentAt] = useState(since)
  const [again, setAgain] = useState(false)
  const { error, run } = useTask()
  const left = SEND_AGAIN_SECONDS - (now - sentAt)
  useEffect(() => {
    if (wait === undefined) return
    let over = false
    const look = async () => {
      const found = await api.GET('/v0/user/wait/{wait}', { params: { path: { wait } } }).catch(() => undefined)
      if (over || !found?.verified) return
      over = true
      if (password !== undefined) await signIn({ email, password }).catch(() => route('/console/sign-in'))
      route(password === undefined ? '/console/sign-in' : '/console/store', true)
    }
    const timer = setInterval(look, LOOK_MS)
    const seen = () => document.visibilityState === 'visible' && void look()
    document.addEventListener('visibilitychange', seen)
    return () => {
      over = true
      clearInterval(timer)
      document.removeEventListener('visibilitychange', seen)
    }
  }, [wait, email, password, route])
  const sendAgain = () =>
    run(async () => {
      await api.POST('/v0/user/verify/send', { body: { email } })
      setSentAt(Date.now() / 1000)
      setAgain(true)
    })
  return (
    <Door foot={texts.verify.until2}>
      <form onSubmit={(event) => event.preventDefault()}>
        <div>
          <p class="big-sign">
            <Icon name="mail" />
          </p>
          <Heading title={texts.verify.title} />
          <p class="quiet lead">
            {texts.verify.sent}
            <strong class="ink">{email}</strong>
            {texts.verify.open}
          </p>
        </div>
        <Notice live>
          <p>{texts.verify.until(momentText(sentAt + LINK_SECONDS))}</p>
          {wait !== undefined && <p class="quiet">{texts.verify.waits}</p>}
        </Notice>
        <Outbox />
        <div class="row">
          <button type="button" class="btn" disabled={left > 0} onClick={sendAgain}>
            {left > 0 ? texts.verify.againIn(countdownText(left)) : texts.verify.again}
          </button>
          <button type="button" class="btn plain" onClick={onOther}>
            {texts.verify.other}
          </button>
        </div>
        {again && <p role="status">{texts.verify.sentAgain}</p>}
        {error && <Failed error={error} />}
        <p class="quiet small">
          {texts.verify.nothing} <a href="/console/sign-in">{texts.signIn.send}</a>
        </p>
      </form>
    </Door>
  )
}
