import { outpointOf } from '../../../../protocol/transaction.ts'
import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../chain/follower/blocks.ts'
import { lockCoins, readLockedCoins, unlockCoins } from '../../../chain/rpc/fund-methods.ts'
import { selectTxChainTips } from '../../transactions/sql/transactions.ts'
import {
  closeTxChainsStatement,
  selectIdleTxChains,
  selectOpenTxChains,
  selectOwnOutputs,
  selectUnsentInputs,
} from '../../transactions/sql/tx-chains.ts'

/**
 * Locks at the node's wallet the ends of tx chains, the inputs of what is signed and not accepted yet, and the coins that withdrawals are
 * `tied` to, so that an operator's sweep does not spend them. A restart of the node removes locks, so the list is read each time. What no tx
 * chain needs any more is unlocked; locks of other coins are not touched.
 */
export async function lockTxChainCoins(
  { db, rpc, blockchain }: AgentContext,
  tied: readonly { txid: string; vout: number }[],
): Promise<void> {
  const txChains = await selectOpenTxChains(db, blockchain)
  const tips = new Map((await selectTxChainTips(db, blockchain)).map((tip) => [tip.txChain, tip]))
  const ofTxChains = txChains.flatMap(({ id, coin }) => {
    const tip = tips.get(id)
    if (!tip) return coin
    // The wallet knows a transaction from when it was sent.
    return tip.state === 'signed' ? [] : { txid: tip.txid, vout: tip.changeVout }
  })
  const unsent = [...tips.values()].some(({ state }) => state === 'signed')
  // Only what is known for ours afterwards, too: all of it is unlocked again.
  const spent = unsent ? await selectOwnOutputs(db, blockchain, await selectUnsentInputs(db, blockchain)) : []
  const wanted = [...ofTxChains, ...tied, ...spent]
  const names = new Set(wanted.map(outpointOf))
  const locked = await readLockedCoins(rpc)
  const have = new Set(locked.map(outpointOf))
  const missing = wanted.filter((output) => !have.has(outpointOf(output)))
  if (missing.length > 0) await lockCoins(rpc, missing)
  const rest = locked.filter((output) => !names.has(outpointOf(output)))
  const ours = rest.length > 0 ? await selectOwnOutputs(db, blockchain, rest) : []
  if (ours.length > 0) await unlockCoins(rpc, ours)
}

/**
 * Returns the coins of tx chains to the wallet while nothing is written: of those whose last transaction has the
 * confirmations that the wallet's coins need before they are used again.
 */
export async function closeIdleTxChains(context: AgentContext, tip: BlockPosition): Promise<void> {
  const { db, blockchain, config } = context
  const idle = await selectIdleTxChains(db, blockchain, tip.height - config.chains[blockchain].confirmations + 1)
  if (idle.length > 0) await closeTxChainsStatement(db, blockchain, idle).run()
}
