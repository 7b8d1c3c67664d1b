import { PAGE_ROWS } from '../../../contract/limits.ts'
import { isObjectId } from '../../../protocol/object-id.ts'
import { invalidCursor } from '../http/errors.ts'

/** Where the next page of a list begins, newest first: after the row that was created then (milliseconds) with this id. */
export interface PageKey {
  createdAt: number
  id: string
}

/** Whether a cursor can name such an id, be it an object id, a UUID or an address. */
export const isAnyId = (id: string) => /^[\w-]{1,100}$/.test(id)

/** The key that the cursor of an earlier page names; `undefined` without one. @throws {AppError} 400. */
export function parsePageKey(cursor: string, isId?: (id: string) => boolean): PageKey
export function parsePageKey(cursor: string | undefined, isId?: (id: string) => boolean): PageKey | undefined
export function parsePageKey(cursor: string | undefined, isId: (id: string) => boolean = isObjectId) {
  if (cursor === undefined) return undefined
  const [, createdAt, id = ''] = /^(\d{1,15})-(.+)$/.exec(cursor) ?? []
  if (!isId(id)) throw invalidCursor()
  return { createdAt: Number(createdAt), id }
}

/** The cursor of the page after this row. */
export function pageCursor({ createdAt, id }: PageKey): string {
  return `${createdAt}-${id}`
}

/** The number that the cursor of an earlier page names; without one, that of the latest rows. @throws {AppError} 400. */
export function parseNumberCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  if (!/^\d{1,15}$/.test(cursor)) throw invalidCursor()
  return Number(cursor)
}

/** The first `size` rows, and the cursor of the page after them where more were found. */
export function cutPage<Row>(found: readonly Row[], cursorOf: (last: Row) => string, size = PAGE_ROWS) {
  const shown = found.slice(0, size)
  const last = shown.at(-1)
  return { shown, cursor: found.length > size && last ? cursorOf(last) : undefined }
}
