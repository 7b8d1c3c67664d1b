import { readBlockHashes } from '../rpc/block-methods.ts'
import { NodeError } from '../rpc/rpc-transport.ts'
import type { WalletRpc } from '../rpc/wallet-rpc.ts'

/** The node is on another network than the one whose money is counted here. */
export class WrongNetwork extends Error {
  override name = 'WrongNetwork'
}

/**
 * Checks that the node's block 0 is `genesis`, and returns its hash; any is right where none is known.
 * @throws {WrongNetwork} {@link NodeError}
 */
export async function checkNetwork(rpc: WalletRpc, genesis: string | undefined): Promise<string> {
  const [hash] = await readBlockHashes(rpc, [0])
  if (hash === undefined) throw new NodeError('invalid_response', 'The node has no block 0.')
  if (genesis !== undefined && hash !== genesis) {
    throw new WrongNetwork(`The node is on another network: its block 0 is ${hash}, not ${genesis}.`)
  }
  return hash
}

/** In words, that the node is on another network than `genesis` says; `undefined` when it is not. @throws {NodeError} */
export async function findNetworkProblem(rpc: WalletRpc, genesis: string | undefined): Promise<string | undefined> {
  try {
    await checkNetwork(rpc, genesis)
    return undefined
  } catch (error) {
    if (error instanceof WrongNetwork) return error.message
    throw error
  }
}
