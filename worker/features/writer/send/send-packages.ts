import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../chain/follower/blocks.ts'
import { submitPackage } from '../../../chain/rpc/transaction-methods.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { giveUp } from '../../transactions/sign/give-up.ts'
import { getSigned } from '../../transactions/sql/signed-bytes.ts'
import { countAttempts, markSentStatement } from '../../transactions/sql/transaction-states.ts'
import type { OwnTransaction } from '../../transactions/sql/transactions.ts'

/**
 * Sends a transaction that the mempool has no room for at its fee together with the one behind it that pays for both, on
 * nodes that look at the two as a package. It has to be the last of its tx chain but for that one: a package is a child with
 * its parents, and no longer chain. One that is refused is made again, at the rate of then, after the next block.
 * @throws {NodeError}
 */
export async function sendPackages(
  { db, bucket, rpc, blockchain }: AgentContext,
  tip: BlockPosition,
  cheap: readonly OwnTransaction[],
  unmined: readonly OwnTransaction[],
): Promise<number> {
  let taken = 0
  for (const parent of cheap) {
    const [child, ...more] = unmined.filter(({ txChain, seq }) => txChain === parent.txChain && seq > parent.seq)
    if (!child || more.length > 0 || child.itemId !== undefined) continue
    const [parentHex, childHex] = await getSigned(bucket, [parent, child])
    if (parentHex === undefined || childHex === undefined) continue
    const txids = [parent.txid, child.txid]
    if ((await countAttempts(db, blockchain, txids)).size < txids.length) continue
    const outcome = await submitPackage(rpc, [parentHex, childHex])
    if (outcome.state === 'taken') {
      await markSentStatement(db, blockchain, txids, tip.height).run()
      taken += txids.length
    } else {
      console.warn('package_not_taken', blockchain, parent.txid, outcome.reason)
      if (child.state === 'signed') await batchIf(db, giveUp(db, blockchain, [child]))
    }
  }
  return taken
}
