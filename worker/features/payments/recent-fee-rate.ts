import type { Blockchain } from '../../../protocol/chains.ts'
import { readFeeRate } from '../../chain/rpc/fund-methods.ts'
import type { WalletRpc } from '../../chain/rpc/wallet-rpc.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'

/**
 * Lifetime of the cache, in milliseconds. Estimates are requested while somebody types; a node is queried at most this
 * often.
 */
const FRESH_MS = 5_000

interface FeeRate {
  /** Base units per 1,000 vbytes. */
  rate: bigint
  /** Milliseconds. */
  readAt: number
}

/** One for each chain. */
const rates = new MemoryCache<FeeRate>(0)

/**
 * The fee rate for the quote of a payment request: from the chain's node, at most a few seconds old.
 * @throws {NodeError}
 */
export async function recentFeeRate(rpc: WalletRpc, blockchain: Blockchain, now: number): Promise<FeeRate> {
  const known = rates.get(blockchain)
  if (known && Math.abs(now - known.readAt) < FRESH_MS) return known
  const fresh = { rate: await readFeeRate(rpc, blockchain, { quote: true }), readAt: now }
  rates.set(blockchain, fresh, 0)
  return fresh
}
