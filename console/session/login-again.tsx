import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { HooklineError } from '../../client/http/api-error.ts'
import { api } from '../api/client.ts'
import { ActDialog } from '../parts/dialog.tsx'
import { PresentPassword } from '../parts/field.tsx'
import { texts } from '../texts/index.ts'
import { signIn } from './access.ts'

const asked = signal<{ done(again: boolean): void } | undefined>(undefined)

/**
 * Calls `act`, and again after asking for the password if the service needs a recent login.
 * @throws {HooklineError} what `act` throws
 */
export async function withRecentLogin<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof HooklineError) || error.code !== 'login_again') throw error
    const again = await new Promise<boolean>((done) => {
      asked.value = { done }
    })
    if (!again) throw error
    return act()
  }
}

/** One that no account can have is as wrong as any other. @throws {HooklineError} */
function asWrongPassword(error: unknown): never {
  const invalid = error instanceof HooklineError && error.code === 'invalid_field'
  throw invalid ? new HooklineError('wrong_password', texts.loginAgain.wrongPassword) : error
}

/** The dialog that asks for the password again. */
export function LoginAgain() {
  const [password, setPassword] = useState('')
  const ask = asked.value
  if (!ask) return null
  const close = (again: boolean) => {
    asked.value = undefined
    setPassword('')
    ask.done(again)
  }
  return (
    <ActDialog
      title={texts.loginAgain.title}
      act={texts.loginAgain.goOn}
      onClose={() => close(false)}
      onAct={async () => {
        // A token may have the address from before it was changed.
        const { email } = await api.GET('/v0/user')
        await signIn({ email, password }).catch(asWrongPassword)
        close(true)
      }}
    >
      <p class="quiet">{texts.loginAgain.text}</p>
      <PresentPassword value={password} onValue={setPassword} />
    </ActDialog>
  )
}
