import { listWatchedCoins, readBalance } from '../../chain/rpc/fund-methods.ts'
import { CALLER_TIMEOUT_MS, type WalletRpc, watchRpc } from '../../chain/rpc/wallet-rpc.ts'
import type { ChainConfig } from '../../platform/config/config.ts'

/**
 * All that is held on a chain, in base units: by the wallet behind `rpc`, by the one without keys, and, in blocks, by the address whose
 * key is offline. @throws {NodeError} {@link RpcError}
 */
export async function readHeld(
  rpc: WalletRpc,
  chain: Pick<ChainConfig, 'rpc' | 'watch' | 'coldAddress'>,
): Promise<bigint> {
  const watch = watchRpc(chain, CALLER_TIMEOUT_MS)
  const cold = chain.coldAddress === undefined ? [] : await listWatchedCoins(rpc, chain.coldAddress, 1)
  const sum = cold.reduce((total, { value }) => total + value, 0n)
  return (await readBalance(rpc)) + sum + (watch ? await readBalance(watch) : 0n)
}
