import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { mustWait } from '../../chain/follower/each-record.ts'
import { selectFailedRecords } from '../../chain/follower/failed-records.ts'
import { readUnspent } from '../../chain/rpc/transaction-methods.ts'
import type { OwnTransaction } from '../wallet/sql/transactions.ts'
import { reopenTxChainsStatement, selectClosedTxChains } from '../wallet/sql/tx-chains.ts'
import { markStuck } from './mark-stuck.ts'

const SPENT = 'Its last output was spent by a transaction that this service did not make, so it cannot continue.'

/**
 * Opens those of the tx chains `ids` again that were done with when a reorganisation took their transactions off the chain, so
 * that they can pay more. Their coins were the wallet's meanwhile: where it has spent one, what spends it is left alone, and
 * the tx chain is recorded as failed. One that the wallet could not sign for waits before it is tried again, as all that is recorded as failed.
 * `unmined` is in the order of each tx chain.
 */
export async function reopenTxChains(
  context: AgentContext,
  ids: ReadonlySet<number>,
  unmined: readonly OwnTransaction[],
): Promise<void> {
  const { db, rpc, blockchain, now } = context
  const closed = await selectClosedTxChains(db, blockchain, [...ids])
  if (closed.length === 0) return
  const failedRecords = (await selectFailedRecords(db, blockchain, 'lane')).filter((row) => mustWait(row, now))
  const unsigned = new Set(failedRecords.map(({ id }) => id))
  const ends = closed.flatMap((id) => {
    if (unsigned.has(String(id))) return []
    const last = unmined.findLast(({ txChain }) => txChain === id)
    return last ? { id, txid: last.txid, vout: last.changeVout } : []
  })
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
