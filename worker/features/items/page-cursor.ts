import { isObjectId } from '../../../protocol/object-id.ts'
import type { PageKey } from '../../platform/d1/page-key.ts'
import { invalidCursor } from '../../platform/http/errors.ts'

/** The key that the cursor of an earlier page names. @throws {AppError} 400. */
export function parseCursor(text: string): PageKey {
  const [createdAt = '', id, ...rest] = text.split('-')
  if (!/^\d{1,15}$/.test(createdAt) || !isObjectId(id) || rest.length > 0) throw invalidCursor()
  return { createdAt: Number(createdAt), id }
}
