import type { CID } from 'multiformats/cid'
import { canonicalCid } from '../../../protocol/cid.ts'
import { AppError } from '../../http/errors.ts'

/** 422 for a block whose bytes are right and whose meaning is not. */
export function invalidDag(cid: CID, problem: string, cause?: unknown): AppError {
  return new AppError(422, 'invalid_dag', `The block ${canonicalCid(cid)} ${problem}.`, { cause })
}
