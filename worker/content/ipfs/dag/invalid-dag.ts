import type { CID } from 'multiformats/cid'
import { canonicalCid } from '../../../../protocol/cid.ts'
import { InvalidNodeError } from '../../../../reader/unixfs/scan-node.ts'
import { AppError } from '../../../platform/http/errors.ts'

/** 422 for a block whose bytes are right and whose meaning is not. */
export function invalidDag(cid: CID, problem: string, cause?: unknown): AppError {
  return new AppError(422, 'invalid_dag', `The block ${canonicalCid(cid)} ${problem}.`, { cause })
}

/** The same for what reading a block threw; anything else is thrown again. */
export function asInvalidDag(cid: CID, error: unknown): AppError {
  if (error instanceof InvalidNodeError) return invalidDag(cid, error.message, error.cause)
  throw error
}
