import type { QuotaName } from '../../../contract/quotas.ts'
import { BLOCKCHAINS, type Blockchain, eachChain } from '../../../protocol/chains.ts'
import { coinsJson } from '../../platform/http/coins-json.ts'
import { keyJson } from '../auth/keys/key-json.ts'
import { readQuotas } from '../auth/quotas.ts'
import type { ApiKey } from '../auth/sql/api-keys.ts'
import { KEYS_USED, type UsedSql } from '../auth/sql/quotas.ts'
import { selectPreferences, type User } from '../auth/sql/users.ts'
import { describeUser } from '../auth/token-claims.ts'
import { type AllowanceSettings, readAllowance } from '../items/allowance.ts'
import { ITEMS_USED } from '../items/sql/used.ts'
import { selectMoney, selectPending } from '../payments/sql/ledger.ts'
import { selectReserved } from '../payouts/sql/withdrawals.ts'
import { SITES_USED } from '../sites/sql/used.ts'
import { ADDRESSES_USED, selectDepositAddresses } from '../transactions/sql/addresses.ts'

/** What an account has used of every quota. */
export const ALL_USED: UsedSql<QuotaName> = { ...ITEMS_USED, ...SITES_USED, ...ADDRESSES_USED, ...KEYS_USED }

/**
 * The profile of an account as JSON text, with its balance on each chain, in coins, what is on its way there and what of
 * it is reserved, the deposit address that is current there, or null, its quotas, and the API key of the request,
 * if it has one. Amounts are written digit for digit: a double has not enough of them.
 */
export async function readProfile(
  db: D1Database,
  user: User,
  config: AllowanceSettings,
  key: ApiKey | undefined,
  now: number,
): Promise<string> {
  const [money, pending, reserved, current, preferences, quotas] = await Promise.all([
    selectMoney(db, user.id),
    selectPending(db, user.id),
    selectReserved(db, user.id),
    selectDepositAddresses(db, user.id),
    selectPreferences(db, user.id),
    readAllowance(db, user.id, config, now).then(({ limits }) => readQuotas(db, user.id, limits, ALL_USED)),
  ])
  const addresses = Object.fromEntries(BLOCKCHAINS.map((blockchain) => [blockchain, current[blockchain] ?? null]))
  const perChain = (unitsOf: (blockchain: Blockchain) => bigint) => coinsJson({}, eachChain(unitsOf))
  return coinsJson(
    { ...describeUser(user), addresses, quotas, ...preferences, language: preferences?.language ?? null },
    {},
    {
      balances: perChain((blockchain) => money[blockchain].spendable),
      pending: perChain((blockchain) => pending[blockchain]),
      minDeposits: perChain((blockchain) => config.chains[blockchain].minDeposit),
      reserved: perChain((blockchain) => money[blockchain].suspended + (reserved.get(blockchain) ?? 0n)),
      ...(key ? { key: keyJson(key) } : {}),
    },
  )
}
