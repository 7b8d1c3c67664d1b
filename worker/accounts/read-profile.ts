import { formatAmount } from '../../protocol/amount.ts'
import { BLOCKCHAINS } from '../../protocol/chains.ts'
import type { Config } from '../config/config.ts'
import type { ApiKey } from '../storage/accounts/api-keys.ts'
import type { User } from '../storage/accounts/users.ts'
import { selectDepositAddresses } from '../storage/payments/addresses.ts'
import { selectBalances } from '../storage/payments/ledger.ts'
import { describeUser } from './describe-user.ts'
import { keyJson } from './key-json.ts'
import { readQuotas } from './quotas.ts'

/**
 * The profile of an account as JSON text, with its balance on each chain, in coins, and the deposit address that is
 * current there, or null, its quotas, and the API key that it was asked with, if it was. Balances are written digit for
 * digit: a double has not enough of them.
 */
export async function readProfile(
  db: D1Database,
  user: User,
  limits: Config['quotas'],
  key: ApiKey | undefined,
): Promise<string> {
  const [balances, current, quotas] = await Promise.all([
    selectBalances(db, user.id),
    selectDepositAddresses(db, user.id),
    readQuotas(db, user.id, limits),
  ])
  const addresses = Object.fromEntries(BLOCKCHAINS.map((blockchain) => [blockchain, current[blockchain] ?? null]))
  const amounts = BLOCKCHAINS.map((blockchain) => `"${blockchain}":${formatAmount(balances[blockchain])}`)
  const profile = JSON.stringify({ ...describeUser(user), addresses, quotas })
  const asked = key ? `,"key":${keyJson(key)}` : ''
  return `${profile.slice(0, -1)},"balances":{${amounts.join(',')}}${asked}}`
}
