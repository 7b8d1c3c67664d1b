import { readBalance } from '../../chain/rpc/fund-methods.ts'
import type { WalletRpc } from '../../chain/rpc/wallet-rpc.ts'

/** All that the service holds on a chain, in base units. @throws {NodeError} {@link RpcError} */
export async function readHeld(rpc: WalletRpc): Promise<bigint> {
  return await readBalance(rpc)
}
