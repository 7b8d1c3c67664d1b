import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import { mustWait } from '../../../chain/follower/each-record.ts'
import { selectFailedRecords } from '../../../chain/follower/failed-records.ts'
import { readUnspent } from '../../../chain/rpc/transaction-methods.ts'
import { mostTxChains } from '../../transactions/sign/tx-chain-limits.ts'
import type { OwnTransaction } from '../../transactions/sql/transactions.ts'
import { reopenTxChainsStatement, selectClosedTxChains, selectOpenTxChains } from '../../transactions/sql/tx-chains.ts'
import { markStuck } from './mark-stuck.ts'

const SPENT = 'Its last output was spent by a transaction that this service did not make, so it cannot continue.'

/** Tx chains reopened in one step, or recorded as failed: a deep reorganisation affects thousands. */
const REOPENED_PER_STEP = 20

/**
 * Reopens those of the tx chains `ids` that were closed before a reorganisation unconfirmed their transactions, so that
 * they can be bumped. Together with the open ones that have unmined transactions they are at most as many as may be
 * open. In between their coins belonged to the wallet. If a transaction of ours has `spent` one, its tx chain pays for
 * both; if somebody else has, the tx chain is recorded as failed. One that the wallet could not sign for is retried
 * after its backoff, as all failed records are. `unmined` is in the order of each tx chain.
 */
export async function reopenTxChains(
  context: AgentContext,
  ids: ReadonlySet<number>,
  unmined: readonly OwnTransaction[],
  spent: ReadonlySet<string>,
): Promise<void> {
  const { db, rpc, blockchain, config, now } = context
  const closed = await selectClosedTxChains(db, blockchain, [...ids])
  if (closed.length === 0) return
  const failedRecords = (await selectFailedRecords(db, blockchain, 'tx_chain')).filter((row) => mustWait(row, now))
  const unsigned = new Set(failedRecords.map(({ id }) => id))
  const lasts = new Map(unmined.map((one) => [one.txChain, one]))
  const found = closed.flatMap((id) => {
    if (unsigned.has(String(id))) return []
    const last = lasts.get(id)
    if (!last || spent.has(`${last.txid}:${last.changeVout}`)) return []
    return { id, txid: last.txid, vout: last.changeVout }
  })
  const busy = (await selectOpenTxChains(db, blockchain)).filter(({ id }) => lasts.has(id)).length
  const ends = found.slice(0, Math.max(0, Math.min(REOPENED_PER_STEP, mostTxChains(config.maxTxChains) - busy)))
  if (ends.length === 0) return
  const unspent = await readUnspent(rpc, ends, { mempool: true })
  const free = ends.filter((_, index) => unspent[index]).map(({ id }) => id)
  if (free.length > 0) await reopenTxChainsStatement(db, blockchain, free).run()
  for (const { id } of ends) {
    if (free.includes(id)) continue
    const own = unmined.filter(({ txChain }) => txChain === id)
    await markStuck(context, id, own, SPENT)
  }
}
