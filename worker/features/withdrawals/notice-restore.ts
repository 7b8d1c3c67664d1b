import type { Blockchain } from '../../../protocol/chains.ts'
import { type PayoutNumbers, selectPayoutNumber } from '../../chain/follower/payout-numbers.ts'
import { noteAgentNumberStatement, selectAgentNumber, selectStops } from '../../chain/follower/stops.ts'
import type { Env } from '../../platform/bindings.ts'
import { unavailable } from '../../platform/http/errors.ts'
import type { EndContext } from './end-withdrawal.ts'
import { listLostPayouts } from './list-lost-payouts.ts'
import { restoreEnds } from './restore-ends.ts'
import { stopPayouts } from './stop-payouts.ts'

const REASON =
  'The database is older than what was paid out: it was restored. Assign each send that it does not know (GET /v0/operate/send), and let payouts go on then.'

/**
 * Stops the payouts of a chain where the database has a lower number of them than the chain's agent: it was restored to a moment
 * before the last. Before that, withdrawals that had ended since end again. Once the deposits since then are found again (`isSettled`),
 * those that it has lost altogether are debited, and their payouts are listed. Where the agent's number is lower, as after a crash, it
 * follows.
 * Returns the number that both have; `undefined` where payouts are in doubt. @throws where the ends can't all be restored now
 */
export async function noticeRestore(
  context: EndContext,
  blockchain: Blockchain,
  numbers: PayoutNumbers,
  { isSettled = false } = {},
): Promise<number | undefined> {
  const { db, now } = context
  const own = await numbers.read()
  const kept = await selectPayoutNumber(db, blockchain)
  if (kept > own) await numbers.write(kept)
  if (kept >= own) return kept
  const noted = await selectAgentNumber(db, blockchain)
  if (noted === own) return undefined
  // Of another restore before: of the deposits since this one it says nothing.
  if (noted !== undefined && !isSettled) await noteAgentNumberStatement(db, blockchain, null).run()
  await restoreEnds(context, blockchain, isSettled)
  // A stop that the restored database had already is of a restore before.
  await stopPayouts(db, blockchain, { cause: 'restored', reason: REASON }, now)
  if (!isSettled) return undefined
  await listLostPayouts(context, blockchain)
  await noteAgentNumberStatement(db, blockchain, own).run()
  return undefined
}

/**
 * Prevents that what a restored database has lost is debited before the deposits since are found again: what the balance lacks would
 * be a loss. @throws {AppError} 503
 */
export async function requireSettled(db: D1Database, blockchain: Blockchain): Promise<void> {
  if (!(await selectStops(db, blockchain)).some(({ cause }) => cause === 'restored')) return
  if ((await selectAgentNumber(db, blockchain)) !== undefined) return
  const message = `Payments of ${blockchain} since the moment that the database was restored to are still being looked up. Try again later.`
  throw unavailable('payouts_stopped', message, { retryAfter: 60 })
}

/**
 * Has the agent of a chain look whether the database was restored, before anything is returned or deleted. Returns the number of
 * payouts that both have; `undefined` where payouts are in doubt. @throws where it can't.
 */
export async function requestRestore(
  env: Pick<Env, 'CHAIN_AGENT'>,
  blockchain: Blockchain,
): Promise<number | undefined> {
  return await env.CHAIN_AGENT.get(env.CHAIN_AGENT.idFromName(blockchain)).noticeRestore()
}
