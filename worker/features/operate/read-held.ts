import { readBalance } from '../../chain/rpc/fund-methods.ts'
import { CALLER_TIMEOUT_MS, type WalletRpc, watchRpc } from '../../chain/rpc/wallet-rpc.ts'
import type { ChainConfig } from '../../platform/config/config.ts'

/** All that the wallets of a chain hold, in base units: that behind `rpc`, and the one without keys. @throws {NodeError} {@link RpcError} */
export async function readHeld(rpc: WalletRpc, chain: Pick<ChainConfig, 'rpc' | 'watch'>): Promise<bigint> {
  const watch = watchRpc(chain, CALLER_TIMEOUT_MS)
  return (await readBalance(rpc)) + (watch ? await readBalance(watch) : 0n)
}
