import { formatAmount } from '../../protocol/amount.ts'
import { unixSeconds } from '../clock.ts'
import type { ApiKey } from '../storage/accounts/api-keys.ts'

const seconds = (milliseconds: number | undefined) => (milliseconds === undefined ? null : unixSeconds(milliseconds))

/** A key as JSON text, times in Unix seconds, limits in coins digit for digit: a double has not enough of them. */
export function keyJson(key: ApiKey): string {
  const { id, name, scopes, createdAt, expiresAt, lastUsedAt, spending } = key
  const times = { createdAt: seconds(createdAt), expiresAt: seconds(expiresAt), lastUsedAt: seconds(lastUsedAt) }
  const limits = spending && Object.entries(spending).map(([chain, units]) => `"${chain}":${formatAmount(units)}`)
  const fields = JSON.stringify({ id, name, scopes, ...times })
  return `${fields.slice(0, -1)},"spending":${limits ? `{${limits.join()}}` : 'null'}}`
}
