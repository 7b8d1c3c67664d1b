import { readUnspent } from '../chain/transaction-methods.ts'
import type { AgentContext } from '../chain-follower/agent-context.ts'
import { reopenLanesStatement, selectClosedLanes } from '../storage/writes/lanes.ts'
import type { OwnTransaction } from '../storage/writes/transactions.ts'

/**
 * Opens those of the lanes `ids` again that were done with when a reorganisation took their transactions off the chain, so
 * that they can pay more. Their coins were the wallet's meanwhile: where it has spent one, what spends it is left alone.
 */
export async function reopenLanes(
  { db, rpc, blockchain }: AgentContext,
  ids: ReadonlySet<number>,
  unmined: readonly OwnTransaction[],
): Promise<void> {
  const ends = (await selectClosedLanes(db, blockchain, [...ids])).flatMap((id) => {
    const own = unmined.filter(({ lane }) => lane === id)
    const last = own.reduce<OwnTransaction | undefined>((end, one) => (end && end.seq > one.seq ? end : one), undefined)
    return last ? { id, txid: last.txid, vout: last.changeVout } : []
  })
  if (ends.length === 0) return
  const unspent = await readUnspent(rpc, ends, { mempool: true })
  const free = ends.filter((_, index) => unspent[index]).map(({ id }) => id)
  if (free.length > 0) await reopenLanesStatement(db, blockchain, free).run()
}
