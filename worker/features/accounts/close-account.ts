import { formatAmount } from '../../../protocol/amount.ts'
import { BLOCKCHAINS } from '../../../protocol/chains.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { checkPassword } from '../auth/check-password.ts'
import type { Caller } from '../auth/find-caller.ts'
import { deviceOf } from '../auth/known-device.ts'
import { closeUserStatements, selectUser, type User } from '../auth/sql/users.ts'
import { tokenEnded } from '../auth/unauthorized.ts'
import { deleteWebhooksOfClosedStatement } from '../events/sql/end-webhooks.ts'
import { selectMoney } from '../payments/sql/ledger.ts'
import { releaseClosedStatements } from '../sites/sql/domains.ts'
import { endClosedAddressesStatement } from '../sites/sql/site-addresses.ts'

/**
 * Closes the account of a caller who sends the password once more; every token of it ends. Money that is left is reported
 * first, and stays only with `leave`: then the operator pays it out. `now` in milliseconds.
 * @throws {AppError} 401, 403, 409 with `balances`, 429.
 */
export async function closeAccount(
  db: D1Database,
  config: Pick<Config, 'passwordPeppers' | 'tokenKeys'>,
  given: Pick<Caller, 'userId' | 'authTime'> & { password: string; client: Client; leave: boolean },
  now: number,
): Promise<void> {
  const user = await selectUser(db, given.userId)
  const refused = () =>
    new AppError(403, 'wrong_password', 'This is not the password of the account. The account stays open.')
  if (!user) throw refused()
  const credentials = { ...given, email: user.email, known: deviceOf(given) }
  if (!(await checkPassword(db, config, credentials, user, now))) throw refused()
  if (!given.leave) await requireNothingLeft(db, user.id)
  // Closed by another request, or given a new password: either ended the token of this one.
  if (!(await closeUser(db, user, now))) throw tokenEnded()
}

/**
 * Closes an active account and ends its tokens, keys, passkeys, links and webhooks, unless it changed since `user` was
 * read. Its domains are released, at Cloudflare too; addresses of its
 * sites end, and stay its own.
 */
export async function closeUser(db: D1Database, user: User, now: number): Promise<boolean> {
  const [closed] = await db.batch([
    ...closeUserStatements(db, user, now),
    deleteWebhooksOfClosedStatement(db, user.id),
    ...releaseClosedStatements(db, user.id),
    endClosedAddressesStatement(db, user.id, now),
  ])
  return closed?.meta.changes === 1
}

async function requireNothingLeft(db: D1Database, userId: string): Promise<void> {
  const money = await selectMoney(db, userId)
  const left = BLOCKCHAINS.flatMap((chain) => {
    const { spendable, suspended } = money[chain]
    return spendable + suspended > 0n ? [[chain, formatAmount(spendable + suspended)] as const] : []
  })
  if (left.length === 0) return
  const sums = left.map(([chain, coins]) => `${coins} on ${chain}`).join(', ')
  const message = `There is money left: ${sums}. Take it out first (POST /v0/withdrawal), or close with "leave": true and ask the operator for it.`
  const balances = Object.fromEntries(left.map(([chain, coins]) => [chain, Number(coins)]))
  throw new AppError(409, 'balance_left', message, { details: { balances } })
}
