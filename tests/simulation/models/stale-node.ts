import type { RpcCall, RpcOutcome } from '../../../worker/chain/rpc/rpc-transport.ts'
import type { Model, World } from '../world.ts'

/**
 * A second node behind the same address, which has not seen the last blocks and has a mempool of its own: it answers
 * some of the calls. It has no wallet, so what is asked of the wallet the first one answers.
 */
export const staleNode: Model = {
  happen(world) {
    world.staleBy = world.random.integer(0, 3)
    world.stage.log.push(`another node, ${world.staleBy} blocks behind, answers for a while`)
  },
  answer: answerStale,
  calm(world) {
    world.staleBy = 0
  },
}

/** What the second node says to a call of its own knowledge; `undefined` where the first one is asked. */
function answerStale({ node, staleBy, random }: World, { method, params }: RpcCall): RpcOutcome | undefined {
  if (staleBy === 0 || random.chance(0.5)) return undefined
  const height = Math.max(0, node.chain.height - staleBy)
  const tip = node.chain.active[height]
  if (!tip) return undefined
  if (method === 'getblockhash' && Number(params[0]) > height) {
    return { error: { code: -8, message: 'Block height out of range' } }
  }
  if (method === 'getmempoolentry') return { error: { code: -5, message: 'Transaction not in mempool' } }
  if (method === 'getblockchaininfo') {
    return {
      result: {
        chain: 'regtest',
        blocks: String(height),
        headers: String(height),
        bestblockhash: tip.hash,
        initialblockdownload: false,
      },
    }
  }
  if (method === 'getbestblockhash') return { result: tip.hash }
  if (method === 'getblockcount') return { result: String(height) }
  return undefined
}
