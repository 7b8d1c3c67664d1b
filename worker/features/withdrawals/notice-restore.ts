import type { Blockchain } from '../../../protocol/chains.ts'
import { type PayoutNumbers, selectPayoutNumber } from '../../chain/follower/payout-numbers.ts'
import { noteAgentNumberStatement, selectStops } from '../../chain/follower/stops.ts'
import type { Env } from '../../platform/bindings.ts'
import { stopPayouts } from './stop-payouts.ts'

const REASON =
  'The database is older than what was paid out: it was restored. Assign each send that it does not know (GET /v0/operate/send), and let payouts go on then.'

/**
 * Stops the payouts of a chain where the database has a lower number of them than the chain's agent: it was restored to a moment
 * before the last. Where the agent's is lower, as after a crash, it follows. Returns whether payouts are in doubt. `now` in milliseconds.
 */
export async function noticeRestore(
  db: D1Database,
  blockchain: Blockchain,
  numbers: PayoutNumbers,
  now: number,
): Promise<boolean> {
  const own = await numbers.read()
  const kept = await selectPayoutNumber(db, blockchain)
  if (kept > own) await numbers.write(kept)
  if (kept >= own) return false
  if ((await selectStops(db, blockchain)).some(({ cause }) => cause === 'restored')) return true
  const number = noteAgentNumberStatement(db, blockchain, own)
  await stopPayouts(db, blockchain, { cause: 'restored', reason: REASON }, now, [number])
  return true
}

/** Has the agent of a chain look whether the database was restored, before anything is given back or deleted. @throws where it can't. */
export async function askForRestore(env: Pick<Env, 'CHAIN_AGENT'>, blockchain: Blockchain): Promise<void> {
  await env.CHAIN_AGENT.get(env.CHAIN_AGENT.idFromName(blockchain)).noticeRestore()
}
