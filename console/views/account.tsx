import { useState } from 'preact/hooks'
import { HooklineError } from '../../client/http/api-error.ts'
import { BLOCKCHAINS } from '../../protocol/chains.ts'
import { api, type Schemas } from '../api/client.ts'
import { coinsText, unitsOf } from '../core/coins.ts'
import { isPassword } from '../core/credentials.ts'
import { useLoad } from '../hooks/use-load.ts'
import { useTask } from '../hooks/use-task.ts'
import { ActDialog } from '../parts/dialog.tsx'
import { Failed, failureText } from '../parts/failed.tsx'
import { Check, Field, PresentPassword, Segments } from '../parts/field.tsx'
import { Page, Section } from '../parts/page.tsx'
import { PasswordRules } from '../parts/password-rules.tsx'
import { Reading } from '../parts/reading.tsx'
import { claims, sessionEnded, signOut } from '../session/access.ts'
import { lettersOn, setLetters } from '../shell/shortcuts.tsx'
import { setTheme, type Theme, theme } from '../shell/theme.ts'
import { accountTexts } from '../texts/account.ts'
import { texts } from '../texts/index.ts'
import { forgetAccount } from '../upload/order-store.ts'
import { Email } from './account/email.tsx'
import { Keys } from './account/keys.tsx'
import { LanguageOfAccount } from './account/language.tsx'
import { Passkeys } from './account/passkeys.tsx'
import { Receipts } from './account/receipts.tsx'
import { Sessions } from './account/sessions.tsx'

/** The account: its data, its credentials, and the button that closes it. */
export default function Account() {
  const profile = useLoad(() => api.GET('/v0/user'), [])
  const leave = () => void signOut(() => forgetAccount(claims.value?.id ?? ''))
  return (
    <Page
      title={texts.nav.account}
      lead={profile.data?.email ?? claims.value?.email}
      narrow
      acts={
        <button type="button" class="btn" onClick={leave}>
          {accountTexts.signOut}
        </button>
      }
    >
      <Reading of={profile} rows={3} />
      {profile.data && <Profile profile={profile.data} onSaved={profile.set} />}
      {profile.data && <Receipts profile={profile.data} onSaved={profile.set} />}
      {profile.data && <Email email={profile.data.email} />}
      <Password />
      <Sessions />
      <Passkeys />
      <Keys />
      <Section title={texts.nav.webhooks}>
        <p class="after">
          {accountTexts.webhooks} <a href="/console/account/webhooks">{accountTexts.openWebhooks}</a>
        </p>
      </Section>
      <Section title={accountTexts.display}>
        <div class="stack after">
          <p class="row">
            <span>{accountTexts.theme}</span>
            <Segments<Theme>
              label={accountTexts.theme}
              value={theme.value}
              options={(['system', 'light', 'dark'] as const).map((value) => ({
                value,
                label: accountTexts.themes[value],
              }))}
              onValue={setTheme}
            />
          </p>
          {profile.data && <LanguageOfAccount profile={profile.data} onSaved={profile.set} />}
          <Check checked={lettersOn.value} onChange={setLetters}>
            {accountTexts.shortcuts}
          </Check>
        </div>
      </Section>
      {profile.data && <Closing profile={profile.data} />}
    </Page>
  )
}

function Profile({ profile, onSaved }: { profile: Schemas['Profile']; onSaved(profile: Schemas['Profile']): void }) {
  const [firstName, setFirstName] = useState(profile.firstName ?? '')
  const [lastName, setLastName] = useState(profile.lastName ?? '')
  const [saved, setSaved] = useState(false)
  const { busy, error, run } = useTask()
  const save = (event: Event) => {
    event.preventDefault()
    setSaved(false)
    void run(async () => {
      onSaved(await api.PUT('/v0/user', { body: { firstName: firstName.trim(), lastName: lastName.trim() } }))
      setSaved(true)
    })
  }
  const empty = firstName.trim() === '' || lastName.trim() === ''
  return (
    <Section title={accountTexts.profile}>
      <form class="form after" onSubmit={save}>
        <div class="halves tight">
          <Field
            label={texts.signUp.firstName}
            autocomplete="given-name"
            value={firstName}
            onValue={setFirstName}
            error={firstName.trim() === '' ? texts.signUp.nameMissing : undefined}
          />
          <Field
            label={texts.signUp.lastName}
            autocomplete="family-name"
            value={lastName}
            onValue={setLastName}
            error={lastName.trim() === '' ? texts.signUp.nameMissing : undefined}
          />
        </div>
        {error && <Failed error={error} />}
        <p class="row">
          <button type="submit" class="btn" disabled={empty || busy}>
            {busy ? accountTexts.saving : accountTexts.save}
          </button>
          {saved && <span role="status">{accountTexts.saved}</span>}
        </p>
      </form>
    </Section>
  )
}

function Password() {
  const [old, setOld] = useState('')
  const [next, setNext] = useState('')
  const [done, setDone] = useState(false)
  const { busy, error: fault, run } = useTask()
  const change = (event: Event) => {
    event.preventDefault()
    setDone(false)
    void run(async () => {
      await api.PUT('/v0/user', { body: { password: old, newPassword: next } })
      setOld('')
      setNext('')
      setDone(true)
    })
  }
  const wrong = fault?.code === 'wrong_password'
  return (
    <Section title={accountTexts.password}>
      <form class="form after" onSubmit={change}>
        <PresentPassword
          label={accountTexts.oldPassword}
          value={old}
          onValue={setOld}
          error={wrong ? texts.loginAgain.wrongPassword : undefined}
        />
        <Field
          label={accountTexts.newPassword}
          type="password"
          autocomplete="new-password"
          value={next}
          onValue={setNext}
        />
        {next !== '' && <PasswordRules password={next} />}
        {fault && !wrong && <Failed error={fault} />}
        <p class="row">
          <button type="submit" class="btn" disabled={busy || old === '' || !isPassword(next)}>
            {busy ? texts.common.going(accountTexts.changePassword) : accountTexts.changePassword}
          </button>
          {done && <span role="status">{accountTexts.changed}</span>}
        </p>
      </form>
    </Section>
  )
}

function Closing({ profile }: { profile: Schemas['Profile'] }) {
  const [asking, setAsking] = useState(false)
  const [password, setPassword] = useState('')
  const [wrong, setWrong] = useState<string>()
  const left = BLOCKCHAINS.flatMap((chain) => {
    const units = unitsOf(profile.balances?.[chain] ?? 0)
    return units > 0n ? [coinsText(units, chain)] : []
  })
  return (
    <Section title={accountTexts.closing}>
      <div class="stack after">
        <p class="quiet">{accountTexts.closingLead}</p>
        <p>{accountTexts.addressGone(profile.email)}</p>
        {left.length > 0 && (
          <p>
            {accountTexts.left(left.join(', '))} <a href="/console/money/withdraw">{texts.money.withdraw}</a>
          </p>
        )}
        <p>
          <button type="button" class="btn danger" onClick={() => setAsking(true)}>
            {accountTexts.close}
          </button>
        </p>
      </div>
      {asking && (
        <ActDialog
          title={accountTexts.closeTitle}
          act={accountTexts.close}
          danger
          disabled={password === ''}
          onClose={() => setAsking(false)}
          onAct={async () => {
            setWrong(undefined)
            try {
              await api.DELETE('/v0/user', { body: { password, leave: true } })
            } catch (failure) {
              if (failure instanceof HooklineError && failure.status === 403) setWrong(failureText(failure))
              throw failure
            }
            await forgetAccount(claims.value?.id ?? '')
            sessionEnded('closed')
          }}
        >
          <p>{accountTexts.closeText}</p>
          <p>
            <strong>{accountTexts.addressGone(profile.email)}</strong>
          </p>
          {left.length > 0 && <p>{accountTexts.left(left.join(', '))}</p>}
          <PresentPassword value={password} onValue={setPassword} error={wrong} />
        </ActDialog>
      )}
    </Section>
  )
}
