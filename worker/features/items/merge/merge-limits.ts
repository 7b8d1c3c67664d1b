import type { CodeOf } from '../../../../contract/error-codes.ts'
import { MAX_TXIDS } from '../../../../contract/limits.ts'
import { BLOCKCHAINS, type Blockchain, type StorageTarget } from '../../../../protocol/chains.ts'
import { literalBrotliLength } from '../../../../protocol/literal-brotli.ts'
import type { Config } from '../../../platform/config/config.ts'

export type Limits = Pick<Config, 'chains' | 'maxContentBytes' | 'maxDecodedBytes' | 'maxItemBytes'>

/** The most stored (compressed) bytes that an item of this chain may have. */
export function mostStoredBytes(blockchain: Blockchain, config: Limits): number {
  return Math.min(config.maxContentBytes, MAX_TXIDS * config.chains[blockchain].maxDataBytes)
}

/** Why content of `size` bytes can't go onto a chain: it would be stored in more than `mostStoredBytes`. */
export function explainTooLarge(
  blockchain: Blockchain,
  size: number,
  config: Limits,
): { code: CodeOf<422>; message: string } {
  const most = mostStoredBytes(blockchain, config)
  const byCount = most < config.maxContentBytes
  const limit = byCount
    ? `${MAX_TXIDS} transactions of ${config.chains[blockchain].maxDataBytes} bytes`
    : `${config.maxContentBytes} bytes`
  const targets = targetsThatTake(size, config)
  const advice = targets.length === 0 ? 'No target here takes it.' : `${targets.join(' and ')} would take it.`
  return {
    code: byCount ? 'too_many_transactions' : 'content_too_large',
    message: `Compressed, this is more than ${blockchain} takes: ${limit}. ${advice}`,
  }
}

/**
 * The most bytes that a file of this target may have if it does not compress; what compresses may have up to
 * `maxDecodedBytes`. Found by halving: {@link literalBrotliLength} grows with the size.
 */
export function mostIncompressibleBytes(target: StorageTarget, config: Limits): number {
  if (target === 'IPFS') return config.maxItemBytes
  const stored = mostStoredBytes(target, config)
  const { maxDataBytes } = config.chains[target]
  let [fits, most] = [0, Math.min(config.maxItemBytes, config.maxDecodedBytes)]
  while (fits < most) {
    const middle = Math.ceil((fits + most) / 2)
    if (literalBrotliLength(middle, maxDataBytes) <= stored) fits = middle
    else most = middle - 1
  }
  return fits
}

/** The targets that can store `size` incompressible bytes; chains without a node are left out. */
export function targetsThatTake(size: number, config: Limits): StorageTarget[] {
  const chains = BLOCKCHAINS.filter(
    (blockchain) =>
      config.chains[blockchain].rpc.length > 0 &&
      size <= config.maxDecodedBytes &&
      literalBrotliLength(size, config.chains[blockchain].maxDataBytes) <= mostStoredBytes(blockchain, config),
  )
  return size <= config.maxItemBytes ? [...chains, 'IPFS'] : chains
}
