import type { NewEstimate } from '../../../contract/payment.ts'
import type { StorageTarget } from '../../../protocol/chains.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError } from '../../platform/http/errors.ts'

/** Sizes in bytes, in order. @throws {AppError} 422 for a file that could not be stored there. */
export function checkEstimate(
  { blockchain, files }: NewEstimate,
  limits: Pick<Config, 'maxItemBytes' | 'maxDecodedBytes'>,
): { target: StorageTarget; sizes: number[] } {
  const most = blockchain === 'IPFS' ? limits.maxItemBytes : Math.min(limits.maxItemBytes, limits.maxDecodedBytes)
  const index = files.findIndex(({ size }) => size > most)
  const large = files[index]
  if (!large) return { target: blockchain, sizes: files.map(({ size }) => size) }
  const message = `files[${index}] has ${large.size} bytes; a file there may have ${most}.`
  throw new AppError(422, 'content_too_large', message)
}
