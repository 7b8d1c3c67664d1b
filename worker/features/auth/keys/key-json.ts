import { formatAmount } from '../../../../protocol/amount.ts'
import { unixSecondsOrNull } from '../../../platform/clock.ts'
import type { ApiKey } from '../sql/api-keys.ts'

/** A key as JSON text, times in Unix seconds, limits in coins digit for digit: a double has not enough of them. */
export function keyJson(key: ApiKey): string {
  const { id, name, scopes, createdAt, expiresAt, lastUsedAt, spending } = key
  const times = {
    createdAt: unixSecondsOrNull(createdAt),
    expiresAt: unixSecondsOrNull(expiresAt),
    lastUsedAt: unixSecondsOrNull(lastUsedAt),
  }
  const limits = spending && Object.entries(spending).map(([chain, units]) => `"${chain}":${formatAmount(units)}`)
  const fields = JSON.stringify({ id, name, scopes, ...times })
  return `${fields.slice(0, -1)},"spending":${limits ? `{${limits.join()}}` : 'null'}}`
}
