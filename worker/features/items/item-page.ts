import { PAGE_ROWS, SEARCHED_NAMES } from '../../../contract/limits.ts'
import { cutPage } from '../../platform/d1/page-key.ts'
import { notFound } from '../../platform/http/errors.ts'
import type { Caller } from '../auth/find-caller.ts'
import { type ItemQuery, type ItemSort, writeItemCursor } from './item-query.ts'
import { requireItem } from './require-item.ts'
import { selectOwnFolder } from './sql/folders.ts'
import { countPlaces, type ItemList, LIST_ORDERS, selectPlaces } from './sql/item-lists.ts'
import { STATUS } from './sql/item-state.ts'
import { type PublishedItem, selectListedItems } from './sql/items.ts'
import { matchWords, searchItems } from './sql/search-items.ts'

/** A page of items. `page`, `pages` and `total` are null where it was requested by cursor. */
export interface ItemPage {
  items: PublishedItem[]
  page: number | null
  pages: number | null
  /** Also null where a search found more than it checks. */
  total: number | null
  /** Continues after this page; undefined on the last. */
  cursor: string | undefined
}

/**
 * A page of the caller's items. Who may `operate` sees everyone's conflicts with `status=409`.
 * @throws {AppError} 404 for a folder or a directory that is not the caller's.
 */
export async function itemPage(
  db: D1Database,
  caller: Pick<Caller, 'userId' | 'permissions'>,
  query: ItemQuery,
): Promise<ItemPage> {
  if (query.folder && !(await selectOwnFolder(db, caller.userId, query.folder))) {
    throw notFound('You have no folder with this id.')
  }
  if (query.directory !== undefined) await requireItem(db, caller.userId, query.directory)
  const isTyped = (query.blockchain ?? query.kind) !== undefined
  const type = isTyped ? (await import('./sql/of-type.ts')).ofType(query) : ''
  if (query.name !== undefined) return await searchPage(db, caller.userId, query, query.name, type)
  const list = listOf(caller, query, type)
  const { from } = query
  const found = await selectPlaces(
    db,
    list,
    'page' in from ? { skip: (from.page - 1) * PAGE_ROWS } : from,
    PAGE_ROWS + 1,
  )
  const { shown, cursor } = cutPage(found, (last) => writeItemCursor(last, query.sort))
  const items = await selectListedItems(
    db,
    shown.map(({ id }) => id),
    { withParts: query.order !== undefined || query.directory !== undefined },
  )
  if (!('page' in from)) return { items, page: null, pages: null, total: null, cursor }
  const total = await countPlaces(db, list)
  return { items, page: from.page, pages: Math.ceil(total / PAGE_ROWS), total, cursor }
}

function listOf(
  caller: Pick<Caller, 'userId' | 'permissions'>,
  { status, folder, order: orderId, directory, hidden, sort }: ItemQuery,
  type: string,
): ItemList {
  const own = folder === null ? { none: caller.userId } : { user: caller.userId }
  const isWhole = folder === undefined && orderId === undefined && directory === undefined && !hidden && type === ''
  const isEveryones = isWhole && status === STATUS.stopped && caller.permissions.includes('operate')
  const part =
    directory !== undefined
      ? { directory }
      : orderId !== undefined
        ? { user: caller.userId, order: orderId }
        : folder
          ? { folder }
          : undefined
  const owner = part ?? (isEveryones ? 'all' : own)
  const order = orderOf(sort)
  // Of one state the newest is first.
  if (order.order === 'status' && status !== undefined)
    return { owner, status, hidden, type, order: 'created', backwards: true }
  return { owner, status, hidden, type, ...order }
}

/** By what a list is sorted, and whether it runs backwards. */
function orderOf(sort: ItemSort): Pick<ItemList, 'order' | 'backwards'> {
  const order = LIST_ORDERS.find((name) => sort.endsWith(name)) ?? 'created'
  return { order, backwards: sort.startsWith('-') }
}

async function searchPage(
  db: D1Database,
  userId: string,
  query: ItemQuery,
  name: string,
  type: string,
): Promise<ItemPage> {
  const { status, folder, hidden, sort, from } = query
  const page = 'page' in from ? from.page : 1
  const match = matchWords(userId, name)
  if (match === undefined) return { items: [], page, pages: 0, total: 0, cursor: undefined }
  const search = { match, userId, status, folder, hidden, type, ...orderOf(sort), limit: SEARCHED_NAMES }
  const { ids, more } = await searchItems(db, search)
  const items = await selectListedItems(db, ids.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS), { withParts: true })
  return { items, page, pages: Math.ceil(ids.length / PAGE_ROWS), total: more ? null : ids.length, cursor: undefined }
}
