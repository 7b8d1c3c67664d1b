import { LIFETIMES } from '../../../contract/lifetimes.ts'
import { MAX_DIRECTORY_FILES, MAX_ESTIMATED_FILES } from '../../../contract/limits.ts'
import type { Target } from '../../../contract/payment.ts'
import type { StorageTarget } from '../../../protocol/chains.ts'
import { payChain } from '../../platform/config/pay-chain.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import { AppError } from '../../platform/http/errors.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import { isIndexOffered } from '../items/merge/index-option.ts'
import { mostIncompressibleBytes } from '../items/merge/merge-limits.ts'
import { type PaymentContext, requirePolicy, requireWallet, requireWriting, withWallet } from './payment-context.ts'

/** Lifetime of the cache. Anybody may send requests at any time; nodes and wallets are queried at most this often. */
const FRESH_MS = LIFETIMES.target * 1000

const reasons = new MemoryCache<{ reason: string | null; at: number }>(0)

/** What is known of a target before anything is stored there. */
export async function describeTarget(context: PaymentContext, target: StorageTarget): Promise<Target> {
  const { config } = context
  const reason = await readReason(context, target)
  const paidIn = payChain(target, config)
  const { confirmations, blockSeconds } = config.chains[paidIn]
  const { maxItemBytes, maxDecodedBytes } = config
  return {
    blockchain: target,
    available: reason === null,
    reason,
    paidIn,
    maxFileBytes: target === 'IPFS' ? maxItemBytes : Math.min(maxItemBytes, maxDecodedBytes),
    maxIncompressibleBytes: mostIncompressibleBytes(target, config),
    maxFiles: target === 'IPFS' ? MAX_DIRECTORY_FILES : MAX_ESTIMATED_FILES,
    maxDataBytes: target === 'IPFS' ? null : config.chains[target].maxDataBytes,
    offersIndex: isIndexOffered(target, config),
    confirmations,
    // What is stored on IPFS is there as soon as it is paid for; a chain writes it into the block after that.
    minutes: ((confirmations + (target === 'IPFS' ? 0 : 1)) * blockSeconds) / 60,
  }
}

async function readReason(context: PaymentContext, target: StorageTarget): Promise<string | null> {
  const { now } = context
  const known = reasons.get(target)
  if (known && Math.abs(now - known.at) < FRESH_MS) return known.reason
  const reason = await findReason(context, target)
  reasons.set(target, { reason, at: now }, 0)
  return reason
}

async function findReason(context: PaymentContext, target: StorageTarget): Promise<string | null> {
  const chain = payChain(target, context.config)
  if (!context.rpcOf(chain)) return `This service has no node of ${chain}.`
  try {
    await withWallet(context, target, async (rpc) => {
      await requireWallet(context, rpc, target, 0n)
      await requirePolicy(context, rpc, target)
    })
    await requireWriting(context.db, target)
    return null
  } catch (error) {
    if (error instanceof AppError && (error.code === 'payment_unavailable' || error.code === 'node_policy')) {
      logOnceAMinute('warn', 'target_unavailable', target, error.cause)
      return error.message
    }
    throw error
  }
}
