import type { Caller } from '../auth/find-caller.ts'
import { invalidField } from '../http/errors.ts'
import { parseItemStatus, STATUS, STATUS_TEXTS } from '../storage/items/item-state.ts'
import { type PublishedItem, selectItems } from '../storage/items/items.ts'
import { parseCursor } from './page-cursor.ts'

const PAGE = 50

/**
 * A page of the caller's items, newest first. Who may `operate` sees everyone's conflicts with `status=409`.
 * `cursor` goes on from an earlier page; there is none behind the last. @throws {AppError} 400.
 */
export async function itemPage(
  db: D1Database,
  caller: Pick<Caller, 'userId' | 'permissions'>,
  query: { cursor: string | undefined; status: string | undefined },
): Promise<{ items: PublishedItem[]; cursor: string | undefined }> {
  const status = query.status === undefined ? undefined : parseItemStatus(query.status)
  if (query.status !== undefined && status === undefined) {
    throw invalidField('status', `must be one of: ${STATUS_TEXTS.join(', ')}.`)
  }
  const after = query.cursor === undefined ? undefined : parseCursor(query.cursor)
  const everyone = status === STATUS.stopped && caller.permissions.includes('operate')
  const userId = everyone ? undefined : caller.userId
  const found = await selectItems(db, { userId, status, after, limit: PAGE + 1 })
  const items = found.slice(0, PAGE)
  const last = items.at(-1)
  return { items, cursor: found.length > PAGE && last ? `${last.createdAt}-${last.id}` : undefined }
}
