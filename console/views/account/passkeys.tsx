import { useState } from 'preact/hooks'
import { HooklineError } from '../../../client/http/api-error.ts'
import { api } from '../../api/client.ts'
import { dayText, momentText } from '../../core/time-text.ts'
import { useAct } from '../../hooks/use-act.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/failed.tsx'
import { Field } from '../../parts/field.tsx'
import { Section } from '../../parts/page.tsx'
import { withRecentLogin } from '../../session/login-again.tsx'
import { makePasskey } from '../../session/passkey.ts'
import { settings } from '../../shell/settings.ts'
import { accountTexts } from '../../texts/account.ts'

/** The passkeys of the account, if the service supports them. */
export function Passkeys() {
  return settings.value?.passkeys ? <Known /> : null
}

function Known() {
  const passkeys = useLoad(() => api.GET('/v0/user/passkeys'), [])
  const [adding, setAdding] = useState(false)
  const [name, setName] = useState('')
  const list = passkeys.data?.passkeys ?? []
  const [act, failed] = useAct()
  const remove = (id: string) =>
    act(async () => {
      await api.DELETE('/v0/user/passkeys/{id}', { params: { path: { id } } })
      passkeys.reload()
    })
  return (
    <Section
      title={accountTexts.passkeys}
      aside={
        <button type="button" class="btn" onClick={() => setAdding(true)}>
          {accountTexts.addPasskey}
        </button>
      }
    >
      <p class="quiet small after">{accountTexts.passkeysLead}</p>
      {failed}
      {passkeys.error && <Failed error={passkeys.error} again={passkeys.reload} what={accountTexts.passkeys} />}
      {passkeys.data && list.length === 0 && <p>{accountTexts.noPasskeys}</p>}
      <table class="table">
        <tbody>
          {list.map((passkey) => (
            <tr key={passkey.id}>
              <td class="grow">{passkey.name}</td>
              <td class="quiet">{dayText(passkey.createdAt)}</td>
              <td class="quiet">
                {passkey.lastUsedAt === null
                  ? accountTexts.keyUnused
                  : accountTexts.keyUsed(momentText(passkey.lastUsedAt))}
              </td>
              <td class="num push">
                <button
                  type="button"
                  class="btn"
                  onClick={() => remove(passkey.id)}
                  aria-label={`${accountTexts.remove} ${passkey.name}`}
                >
                  {accountTexts.remove}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {adding && (
        <ActDialog
          title={accountTexts.addPasskey}
          act={accountTexts.addPasskey}
          disabled={name.trim() === ''}
          onClose={() => setAdding(false)}
          onAct={async () => {
            const response = await withRecentLogin(makePasskey).catch((error: unknown) => {
              throw error instanceof HooklineError
                ? error
                : new HooklineError('passkey_cancelled', accountTexts.passkeyCancelled)
            })
            await api.POST('/v0/user/passkeys', { body: { name: name.trim(), response } })
            passkeys.reload()
          }}
        >
          <Field label={accountTexts.passkeyName} value={name} onValue={setName} />
        </ActDialog>
      )}
    </Section>
  )
}
