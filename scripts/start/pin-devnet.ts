import type { Devnet } from '../../devnet/create-devnet.ts'
import { BLOCKCHAINS } from '../../protocol/chains.ts'
import type { Checkpoints } from '../../reader/proof/parse-checkpoints.ts'
import { tilePath } from '../../reader/proof/tiles.ts'
import type { RpcCall, RpcOutcome } from '../../worker/chain/rpc/rpc-transport.ts'
import { makeCheckpoint } from '../checkpoint/make-checkpoint.ts'

/** What the first blocks hold, and a checkpoint above them, has the depth of a mature coinbase from this height on. */
const PINNED_HEIGHT = 511
const NOBODY = Uint8Array.of(0x51)

/**
 * The checkpoints of the embedded chains, which are mined to height 511 first; `put` gets each tile with its key in the bucket.
 */
export async function pinDevnet(
  devnet: Devnet,
  put: (key: string, bytes: Uint8Array) => Promise<unknown>,
): Promise<Checkpoints> {
  const pinned: Checkpoints = {}
  for (const blockchain of BLOCKCHAINS) {
    const node = devnet.node(blockchain)
    devnet.mineWaiting()
    while (node.chain.tip.height < PINNED_HEIGHT) node.mine(NOBODY)
    const call = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
      const body = JSON.stringify(calls.map(({ method, params }, id) => ({ id, method, params })))
      return JSON.parse(devnet.handle(blockchain, body).body).map(outcomeOf)
    }
    const tiles = {
      read: async () => undefined,
      write: async (rank: number, index: number, bytes: Uint8Array) => {
        await put(`proof/${tilePath(blockchain, rank, index)}`, bytes)
      },
    }
    pinned[blockchain] = await makeCheckpoint(blockchain, { call, tiles, isEmbedded: true })
  }
  return pinned
}

function outcomeOf({
  result,
  error,
}: {
  result: unknown
  error: { code: number; message: string } | null
}): RpcOutcome {
  return error ? { error } : { result }
}
