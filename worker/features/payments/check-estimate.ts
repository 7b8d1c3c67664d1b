import { MAX_DIRECTORY_FILES, MAX_TXIDS } from '../../../contract/limits.ts'
import type { NewEstimate } from '../../../contract/payment.ts'
import type { StorageTarget } from '../../../protocol/chains.ts'
import { literalBrotliLength } from '../../../protocol/literal-brotli.ts'
import { AppError } from '../../platform/http/errors.ts'
import { requireIndexOffered } from '../items/merge/index-option.ts'
import { type Limits, mostStoredBytes, targetsThatTake } from '../items/merge/merge-limits.ts'

/**
 * Checks the sizes of an estimate, in bytes and in order, and whether the files become one directory.
 * @throws {AppError} 422 for an index if the target has none; also for a file or a directory that the target would not
 *   accept if nothing of it could be compressed, with the `targets` that would accept it.
 */
export function checkEstimate(
  { blockchain, files, directory = false, index }: NewEstimate,
  limits: Limits,
): { target: StorageTarget; sizes: number[]; directory: boolean } {
  requireIndexOffered(blockchain, index, limits)
  const sizes = files.map(({ size }) => size)
  if (directory) {
    if (files.length > MAX_DIRECTORY_FILES) {
      const message = `A folder of ${files.length} files is more than one directory holds: ${MAX_DIRECTORY_FILES}.`
      throw new AppError(422, 'too_many_files', message, { details: { targets: [] } })
    }
    const size = sizes.reduce((sum, one) => sum + one, 0)
    refuseTooLarge('The folder', size, blockchain, limits)
  } else for (const [index, size] of sizes.entries()) refuseTooLarge(`files[${index}]`, size, blockchain, limits)
  return { target: blockchain, sizes, directory }
}

function refuseTooLarge(what: string, size: number, target: StorageTarget, limits: Limits): void {
  const most = target === 'IPFS' ? limits.maxItemBytes : Math.min(limits.maxItemBytes, limits.maxDecodedBytes)
  const refuse = (code: 'content_too_large' | 'too_many_transactions', fault: string) => {
    const targets = targetsThatTake(size, limits)
    const advice = targets.length === 0 ? 'No target here takes it.' : `${targets.join(' and ')} would take it.`
    throw new AppError(422, code, `${what} ${fault} ${advice}`, { details: { targets } })
  }
  if (size > most) refuse('content_too_large', `has ${size} bytes; an item on ${target} may have ${most}.`)
  if (target === 'IPFS') return
  const { maxDataBytes } = limits.chains[target]
  const stored = literalBrotliLength(size, maxDataBytes)
  if (stored <= mostStoredBytes(target, limits)) return
  const transactions = Math.ceil(stored / maxDataBytes)
  if (transactions > MAX_TXIDS) {
    const fault = `takes ${transactions} transactions on ${target} if it cannot be compressed; ${MAX_TXIDS} are the most.`
    refuse('too_many_transactions', fault)
  }
  const fault = `is stored in ${stored} bytes on ${target} if it cannot be compressed; ${limits.maxContentBytes} are the most.`
  refuse('content_too_large', fault)
}
