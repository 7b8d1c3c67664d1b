import { CHAINS } from '../../../../protocol/chains.ts'
import { outpointOf } from '../../../../protocol/transaction.ts'
import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../chain/follower/blocks.ts'
import { type NodeView, readNodeView } from '../../../chain/rpc/block-methods.ts'
import { listCoins, type WalletCoin } from '../../../chain/rpc/fund-methods.ts'
import { readUnspent } from '../../../chain/rpc/transaction-methods.ts'
import { inParts } from '../../../platform/d1/in-parts.ts'
import { stopPayouts } from '../../transactions/stop-payouts.ts'

/** Block times, and milliseconds, after which the newest block is too old to sign a withdrawal on it. */
const BLOCK_TIMES = 20
const OLDEST_MS = 7_200_000
/** Coins looked up in one request. */
const PER_REQUEST = 1_000

const SPENT =
  'The wallet lists coins that the node says are spent: it was restored from a backup, and may have paid what the database does not know. Rescan the chain (rescanblockchain, or -rescan), assign each send that is found then (GET /v0/operate/send), and let payouts go on.'

/** What a node has to be to tell what left the wallet: `behind` where it may not know the newest blocks, `stopped` where it does not fit its wallet. */
export type NodeState = 'good' | 'behind' | 'stopped'

/**
 * Whether the node and its wallet know enough that a withdrawal may be signed for the first time. If the wallet has coins that the node
 * has not, payouts stop. @throws {NodeError} {@link RpcError}
 */
export async function checkNode(context: AgentContext, tip: BlockPosition): Promise<NodeState> {
  const { db, rpc, blockchain, config, now } = context
  const view = await readNodeView(rpc, tip.hash)
  if (!isUpToDate(view, CHAINS[blockchain].blockSeconds, now)) return 'behind'
  const depth = config.chains[blockchain].confirmations
  const spent = await findSpent(context, await listCoins(rpc, depth))
  if (spent.length === 0) return 'good'
  // A block may have come between list and answers: what is spent now is listed no more.
  const again = new Set((await listCoins(rpc, depth)).map(outpointOf))
  const listed = spent.filter((coin) => again.has(outpointOf(coin)))
  const stillSpent = await findSpent(context, listed)
  if (stillSpent.length === 0) return 'behind'
  console.error('coins_spent', blockchain, stillSpent.map(outpointOf).join())
  await stopPayouts(db, blockchain, { cause: 'sends', reason: SPENT }, now)
  return 'stopped'
}

/**
 * Whether a node may be taken for one that knows the newest blocks: it has a peer, no header without its block, and a newest block that
 * is not older than 20 block times, two hours at most. On regtest blocks come when somebody asks for them. Pure; `now` in milliseconds.
 */
export function isUpToDate(view: NodeView, blockSeconds: number, now: number): boolean {
  if (view.isRegtest) return true
  const oldest = Math.min(1_000 * BLOCK_TIMES * blockSeconds, OLDEST_MS)
  return view.peers > 0 && view.headers <= view.blocks && now - 1_000 * view.blockTime <= oldest
}

/** Those of the coins that the node does not have, in blocks and mempool. */
async function findSpent({ rpc }: AgentContext, coins: readonly WalletCoin[]): Promise<WalletCoin[]> {
  const spent: WalletCoin[] = []
  for (const part of inParts(coins, PER_REQUEST)) {
    const unspent = await readUnspent(rpc, part, { mempool: true })
    spent.push(...part.filter((_, index) => !unspent[index]))
  }
  return spent
}
