import { isObjectId } from '../../protocol/object-id.ts'
import { invalidField } from '../http/errors.ts'

/** Where a list goes on, newest first: behind what was made then (milliseconds) with this id. */
export interface PageCursor {
  createdAt: number
  id: string
}

/** A cursor as an earlier page gave it. @throws {AppError} 400. */
export function parseCursor(text: string): PageCursor {
  const [createdAt = '', id, ...rest] = text.split('-')
  if (!/^\d{1,15}$/.test(createdAt) || !isObjectId(id) || rest.length > 0) {
    throw invalidField('cursor', 'must be one that an earlier page gave.')
  }
  return { createdAt: Number(createdAt), id }
}
