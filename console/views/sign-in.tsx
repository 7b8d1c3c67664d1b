import { useEffect, useRef, useState } from 'preact/hooks'
import { lazy, useLocation } from 'preact-iso'
import { HooklineError } from '../../client/http/api-error.ts'
import { asFailure, retryAfterOf } from '../api/failure.ts'
import { isEmail } from '../core/credentials.ts'
import { durationText } from '../core/time-text.ts'
import { Door, EmailField } from '../parts/door.tsx'
import { Failed } from '../parts/failed.tsx'
import { focusFault, PresentPassword } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Notice } from '../parts/notice.tsx'
import { Heading } from '../parts/page.tsx'
import { ending, signIn, typedEmail } from '../session/access.ts'
import { settings } from '../shell/settings.ts'
import { texts } from '../texts/index.ts'

const PriceOfFiles = lazy(() => import('./sign-in/price-of-files.tsx'))

type Fault = 'wrong' | 'closed' | 'identity' | 'cancelled' | HooklineError

/** The sign-in form: by password or passkey. */
export default function SignIn() {
  const { route } = useLocation()
  const email = typedEmail.value
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<Fault>()
  const [tried, setTried] = useState(false)
  const waiting = useRef<AbortController | undefined>(undefined)
  const passkeys = settings.value?.passkeys ?? false

  const enter = async (credentials: Parameters<typeof signIn>[0]) => {
    setBusy(true)
    setFault(undefined)
    try {
      await signIn(credentials)
    } catch (error) {
      const known = asFailure(error)
      if (known.status === 202) route(`/console/sign-up?verify=${encodeURIComponent(email)}`)
      else
        setFault(
          known.status === 401 ? 'wrong' : known.status === 404 ? 'closed' : known.status === 201 ? 'identity' : known,
        )
    } finally {
      setBusy(false)
    }
  }

  // A passkey offered in the ordinary field opens no window by itself.
  useEffect(() => {
    if (!passkeys) return
    const controller = new AbortController()
    waiting.current = controller
    void import('../session/passkey.ts').then(async ({ passkeyInField }) => {
      const passkey = await passkeyInField(controller.signal).catch(() => undefined)
      if (passkey !== undefined) await enter({ passkey })
    })
    return () => controller.abort()
  }, [passkeys])

  const pressPasskey = async () => {
    waiting.current?.abort()
    setFault(undefined)
    const { requestPasskey } = await import('../session/passkey.ts')
    try {
      await enter({ passkey: await requestPasskey() })
    } catch (error) {
      setFault(error instanceof HooklineError ? error : 'cancelled')
    }
  }

  const send = (event: Event) => {
    event.preventDefault()
    setTried(true)
    if (!isEmail(email) || password === '') return focusFault(event.currentTarget)
    const form = event.currentTarget
    void enter({ email: email.trim().toLowerCase(), password }).then(() => focusFault(form))
  }

  return (
    <Door foot={texts.signIn.stay}>
      <form onSubmit={send} noValidate>
        <div>
          <Heading title={texts.signIn.title} />
          <p class="quiet">{texts.signIn.lead}</p>
        </div>
        {ending.value && <Notice icon="clock">{texts.signIn.endings[ending.value]}</Notice>}
        {passkeys && (
          <>
            <button type="button" class="btn primary big wide" onClick={pressPasskey} disabled={busy}>
              <Icon name="key" />
              {texts.signIn.passkey}
            </button>
            {fault === 'cancelled' && <p role="status">{texts.signIn.passkeyCancelled}</p>}
            <p class="or">{texts.signIn.or}</p>
          </>
        )}
        <EmailField autocomplete="username webauthn" tried={tried} />
        <PresentPassword
          value={password}
          onValue={setPassword}
          error={
            fault === 'wrong' ? (
              <>
                {texts.signIn.wrong}
                <a href="/console/reset">{texts.signIn.forgot}</a>.
              </>
            ) : tried && password === '' ? (
              texts.signIn.passwordMissing
            ) : undefined
          }
        />
        {fault === 'closed' && <Notice kind="bad">{texts.signIn.closed}</Notice>}
        {fault === 'identity' && <Notice>{texts.signIn.identity}</Notice>}
        {fault instanceof HooklineError &&
          (fault.status === 429 ? (
            <Notice kind="warn" live>
              {texts.signIn.locked(durationText(retryAfterOf(fault) || 900))}
            </Notice>
          ) : (
            <Failed error={fault} />
          ))}
        <button type="submit" class={passkeys ? 'btn big wide' : 'btn primary big wide'} disabled={busy}>
          {busy ? texts.signIn.sending : texts.signIn.send}
        </button>
        <p>
          {texts.signIn.new} <a href="/console/sign-up">{texts.signIn.signUp}</a>
          {fault !== 'wrong' && (
            <>
              <br />
              <a href="/console/reset">{texts.signIn.resetTitle}</a>
            </>
          )}
        </p>
      </form>
      <PriceOfFiles />
    </Door>
  )
}
