import { isObjectId } from '../../../protocol/object-id.ts'
import { invalidCursor } from '../../platform/http/errors.ts'

/** Where a list goes on, newest first: behind what was made then (milliseconds) with this id. */
export interface PageCursor {
  createdAt: number
  id: string
}

/** The key that the cursor of an earlier page names. @throws {AppError} 400. */
export function parseCursor(text: string): PageCursor {
  const [createdAt = '', id, ...rest] = text.split('-')
  if (!/^\d{1,15}$/.test(createdAt) || !isObjectId(id) || rest.length > 0) {
    throw invalidCursor()
  }
  return { createdAt: Number(createdAt), id }
}
