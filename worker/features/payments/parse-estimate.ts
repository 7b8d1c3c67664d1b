import type { StorageTarget } from '../../../protocol/chains.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import { readText } from '../../platform/http/read-fields.ts'
import { parseTarget } from './parse-order.ts'

/** Files of one order. */
export const MAX_ESTIMATED_FILES = 10_000

/**
 * The body of POST /v0/estimate; sizes in bytes, in order. What the files are says nothing of their price at most.
 * @throws {AppError} 400, 422 for a file that could not be stored there.
 */
export function parseEstimate(
  body: Record<string, unknown>,
  limits: Pick<Config, 'maxItemBytes' | 'maxDecodedBytes'>,
): { target: StorageTarget; sizes: number[] } {
  const target = parseTarget(readText(body, 'blockchain'))
  const { files } = body
  if (!Array.isArray(files) || files.length === 0 || files.length > MAX_ESTIMATED_FILES) {
    throw invalidField('files', `must be a list of 1 to ${MAX_ESTIMATED_FILES} files with their sizes.`)
  }
  const most = target === 'IPFS' ? limits.maxItemBytes : Math.min(limits.maxItemBytes, limits.maxDecodedBytes)
  return { target, sizes: files.map((file: unknown, index) => sizeOf(file, index, most)) }
}

function sizeOf(file: unknown, index: number, most: number): number {
  const size: unknown = typeof file === 'object' && file !== null && 'size' in file ? file.size : undefined
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw invalidField(`files[${index}].size`, 'must be a whole number of bytes.')
  }
  if (typeof file === 'object' && file !== null && 'mimetype' in file && typeof file.mimetype !== 'string') {
    throw invalidField(`files[${index}].mimetype`, 'must be a text.')
  }
  if (size <= most) return size
  throw new AppError(422, 'content_too_large', `files[${index}] has ${size} bytes; a file there may have ${most}.`)
}
