import type { Blockchain } from '../../../../protocol/chains.ts'
import {
  assertDoubtfulStatement,
  insertMark,
  type PayoutNumbers,
  selectNumberAndMark,
} from '../../../chain/follower/payout-numbers.ts'
import { noteAgentStatement, selectNotedAgent, selectStops } from '../../../chain/follower/stops.ts'
import type { Env } from '../../../platform/bindings.ts'
import { unavailable } from '../../../platform/http/errors.ts'
import { insertSendsStatement } from '../../transactions/sql/list-sends.ts'
import { stopPayouts } from '../../transactions/stop-payouts.ts'
import type { EndContext } from '../end/end-withdrawal.ts'
import { getLastPayout, listPaid } from '../record/payout-records.ts'
import { selectWithdrawalsById } from '../sql/withdrawals.ts'
import { restoreEnds } from './restore-ends.ts'

const REASON =
  'The database is older than what was paid out, or not the one that the agent of the chain knows: it was restored, or the storage of the agent was. Assign each send that it does not know (GET /v0/operate/send), and let payouts go on then.'

/**
 * Stops the payouts of a chain where the database has a lower number of them than the chain's agent, or another mark: it was restored
 * to a moment before the last, or the storage of the agent is not the one that worked with it. Before that, withdrawals that had ended
 * since end again. Once the deposits since then are found again (`isSettled`), those that it has lost altogether are debited, and their
 * payouts are listed. Where the agent's number is lower, as after a crash, it follows. At the first step of an installation neither has
 * a mark: the agent makes one.
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
  const { mark, isNoted } = await numbers.readMark()
  const kept = await selectNumberAndMark(db, blockchain)
  // A storage that says so before the database has it would take the first step, cut off in between, for a restore.
  const isFirst = kept.mark === undefined && !isNoted
  const known = isFirst ? await insertMark(db, blockchain, mark) : kept.mark
  if (!isNoted) await numbers.noteMark(mark)
  if (known === mark) {
    if (kept.number > own) await numbers.write(kept.number)
    if (kept.number >= own) return kept.number
  }
  const noted = await selectNotedAgent(db, blockchain)
  if (noted?.number === own && noted.mark === mark) return undefined
  // Of another restore before: of the deposits since this one it says nothing.
  if (noted && !isSettled) await noteAgentStatement(db, blockchain, undefined).run()
  await restoreEnds(context, blockchain, isSettled)
  // A stop that the restored database had already is of a restore before. Where an operator has let payouts go on meanwhile, one more
  // would never be settled: nothing is in doubt any more.
  const isDoubtful = assertDoubtfulStatement(db, blockchain, { number: own, mark })
  await stopPayouts(db, blockchain, { cause: 'restored', reason: REASON }, now, [isDoubtful])
  if (!isSettled) return undefined
  await listLostPayouts(context, blockchain)
  await noteAgentStatement(db, blockchain, { number: own, mark }).run()
  return undefined
}

/**
 * Prevents that what a restored database has lost is debited before the deposits since are found again: what the balance lacks would
 * be a loss. @throws {AppError} 503
 */
export async function requireSettled(db: D1Database, blockchain: Blockchain): Promise<void> {
  if (!(await selectStops(db, blockchain)).some(({ cause }) => cause === 'restored')) return
  if (await selectNotedAgent(db, blockchain)) return
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

/** Payouts listed at most, with two reads of the bucket each: one invocation has 1,000. */
const MOST = 300

/**
 * Lists among the sends of a chain, to be assigned, the payouts of withdrawals that a restored database has lost altogether, by the
 * records in the bucket: the wallet may have been replaced since, and not know them either.
 */
export async function listLostPayouts({ db, bucket, now }: EndContext, blockchain: Blockchain): Promise<void> {
  let left = MOST
  for await (const ids of listPaid(bucket, blockchain)) {
    const known = new Set((await selectWithdrawalsById(db, ids)).map(({ id }) => id))
    const lost = ids.filter((id) => !known.has(id))
    if (lost.length > left) console.error('payouts_not_listed', blockchain, lost.length - left)
    const found = await Promise.all(lost.slice(0, left).map((id) => getLastPayout(bucket, blockchain, id)))
    left -= Math.min(left, lost.length)
    const sends = found.flatMap((last) => (last ? [{ txid: last.txid, amount: last.paid.amount }] : []))
    if (sends.length > 0) await insertSendsStatement(db, blockchain, sends, { now, assigned: undefined }).run()
  }
}
