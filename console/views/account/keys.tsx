import { useState } from 'preact/hooks'
import { SCOPES, type Scope } from '../../../contract/scopes.ts'
import { BLOCKCHAINS } from '../../../protocol/chains.ts'
import { api, type Schemas } from '../../api/client.ts'
import { coinsText, plainAmount, readAmount, unitsOf } from '../../core/coins.ts'
import { dayText, momentText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { CopyField } from '../../parts/copy.tsx'
import { ActDialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/failed.tsx'
import { Choices, Field } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Section } from '../../parts/page.tsx'
import { withRecentLogin } from '../../session/login-again.tsx'
import { accountTexts } from '../../texts/account.ts'

/** API keys: create, show once, revoke. */
export function Keys() {
  const keys = useLoad(() => api.GET('/v0/user/keys'), [])
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<string>()
  const [revoking, setRevoking] = useState<Schemas['ApiKey']>()
  const list = keys.data?.keys ?? []
  return (
    <Section
      title={accountTexts.keys}
      aside={
        <button type="button" class="btn" onClick={() => setMaking(true)}>
          {accountTexts.newKey}
        </button>
      }
    >
      <p class="quiet small after">{accountTexts.keysLead}</p>
      {keys.error && <Failed error={keys.error} again={keys.reload} what={accountTexts.keys} />}
      {made !== undefined && (
        <Notice icon="key" live>
          <p>{accountTexts.keyOnce}</p>
          <CopyField label={accountTexts.key} text={made} />
        </Notice>
      )}
      {keys.data && list.length === 0 && <p>{accountTexts.noKeys}</p>}
      <table class="table">
        <tbody>
          {list.map((key) => (
            <tr key={key.id}>
              <td class="grow">
                {key.name} <span class="quiet">{key.scopes.join(', ')}</span>
                {key.scopes.includes('pay') && <p class="quiet small">{spendingText(key.spending)}</p>}
              </td>
              <td class="quiet">
                {key.lastUsedAt === null ? accountTexts.keyUnused : accountTexts.keyUsed(momentText(key.lastUsedAt))}
              </td>
              <td class="quiet">
                {key.expiresAt === null ? accountTexts.keyNever : accountTexts.keyEnds(dayText(key.expiresAt))}
              </td>
              <td class="num push">
                <button
                  type="button"
                  class="btn"
                  onClick={() => setRevoking(key)}
                  aria-label={`${accountTexts.revoke} ${key.name}`}
                >
                  {accountTexts.revoke}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {making && (
        <NewKey
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMade(key)
            keys.reload()
          }}
        />
      )}
      {revoking && (
        <ActDialog
          title={accountTexts.revokeTitle(revoking.name)}
          act={accountTexts.revoke}
          danger
          onClose={() => setRevoking(undefined)}
          onAct={async () => {
            await api.DELETE('/v0/user/keys/{id}', { params: { path: { id: revoking.id } } })
            keys.reload()
          }}
        >
          <p>{accountTexts.revokeText}</p>
        </ActDialog>
      )}
    </Section>
  )
}

function spendingText(spending: Schemas['ApiKey']['spending']): string {
  if (spending === null) return accountTexts.keyUnlimited
  const limits = BLOCKCHAINS.flatMap((chain) => {
    const coins = spending[chain]
    return coins === undefined ? [] : [coinsText(unitsOf(coins), chain)]
  })
  return limits.length === 0 ? accountTexts.keySpendsNothing : accountTexts.keySpends(limits.join(', '))
}

function NewKey(props: { onClose(): void; onMade(key: string): void }) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(['read']))
  const [days, setDays] = useState('90')
  const [limits, setLimits] = useState<Record<string, string>>({})
  const wrong = !/^([1-9]\d{0,3})?$/.test(days.trim())
  const whole = Number(days)
  return (
    <ActDialog
      title={accountTexts.newKey}
      act={accountTexts.newKey}
      disabled={name.trim() === '' || scopes.size === 0 || wrong}
      onClose={props.onClose}
      onAct={async () => {
        const spending = Object.fromEntries(
          Object.entries(limits).flatMap(([chain, typed]) => {
            if (typed.trim() === '') return []
            const units = readAmount(typed)
            return [[chain, units === undefined ? typed : plainAmount(units)]]
          }),
        )
        const body = {
          name: name.trim(),
          scopes: [...scopes],
          ...(whole > 0 && { expiresAt: Math.floor(Date.now() / 1000) + whole * 86_400 }),
          ...(scopes.has('pay') && { spending }),
        }
        const { key } = await withRecentLogin(() => api.POST('/v0/user/keys', { body }))
        props.onMade(key)
      }}
    >
      <Field label={accountTexts.keyName} value={name} onValue={setName} />
      <Choices
        label={accountTexts.keyScopes}
        values={SCOPES}
        chosen={scopes}
        onChosen={setScopes}
        textOf={(scope) => accountTexts.scopes[scope]}
      />
      <Field
        label={accountTexts.keyDays}
        inputmode="numeric"
        value={days}
        onValue={setDays}
        help={accountTexts.keyDaysHelp}
        error={wrong ? accountTexts.keyDaysBad : undefined}
      />
      {scopes.has('pay') && <p class="quiet small">{accountTexts.keyLimits}</p>}
      {scopes.has('pay') &&
        BLOCKCHAINS.map((chain) => (
          <Field
            key={chain}
            label={accountTexts.keyLimit(chain)}
            inputmode="decimal"
            value={limits[chain] ?? ''}
            onValue={(amount) => setLimits({ ...limits, [chain]: amount })}
          />
        ))}
    </ActDialog>
  )
}
