import type { Caller } from '../auth/find-caller.ts'
import { notFound } from '../http/errors.ts'
import { selectOwnFolder } from '../storage/items/folders.ts'
import {
  itemOfPlace,
  type ListOrder,
  type ListOwner,
  listName,
  selectPlaces,
  selectRuns,
} from '../storage/items/item-lists.ts'
import { ITEM_STATES, STATUS } from '../storage/items/item-state.ts'
import { type PublishedItem, selectListedItems } from '../storage/items/items.ts'
import { matchWords, searchItems } from '../storage/items/search-items.ts'
import { countPlaces, findPage } from './find-page.ts'
import { type ItemCursor, type ItemQuery, type ItemSort, writeItemCursor } from './parse-item-query.ts'

const PAGE = 50

/** Names that match a search are looked at so far, the newest first. */
export const MAX_FOUND = 2000

/** A page of items. `page`, `pages` and `total` are null where it was asked for by cursor. */
export interface ItemPage {
  items: PublishedItem[]
  page: number | null
  pages: number | null
  /** Null, too, where a search found more than it looks at. */
  total: number | null
  /** Goes on behind this page; undefined on the last. */
  cursor: string | undefined
}

/**
 * A page of the caller's items. Who may `operate` sees everyone's conflicts with `status=409`.
 * @throws {AppError} 404 for a folder that is not the caller's.
 */
export async function itemPage(
  db: D1Database,
  caller: Pick<Caller, 'userId' | 'permissions'>,
  query: ItemQuery,
): Promise<ItemPage> {
  if (query.folder && !(await selectOwnFolder(db, caller.userId, query.folder))) {
    throw notFound('You have no folder with this id.')
  }
  if (query.name !== undefined) return await searchPage(db, caller.userId, query, query.name)
  const lists = listsOf(ownerOf(caller, query), query)
  return 'page' in query.from
    ? await numberedPage(db, lists, query.sort, query.from.page)
    : await nextPage(db, lists, query.sort, query.from)
}

interface List {
  name: string
  backwards: boolean
}

function ownerOf(caller: Pick<Caller, 'userId' | 'permissions'>, { status, folder }: ItemQuery): ListOwner {
  if (folder) return { folder }
  if (folder === null) return { none: caller.userId }
  return status === STATUS.stopped && caller.permissions.includes('operate') ? 'all' : { user: caller.userId }
}

/** What is read, one list behind the other: sorted by state, each state is one, its newest item first. */
function listsOf(owner: ListOwner, { status, sort }: ItemQuery): List[] {
  const order = orderOf(sort)
  if (order !== 'status') return [{ name: listName(owner, status, order), backwards: isBackwards(sort) }]
  const all = [...new Set(ITEM_STATES.map((state) => STATUS[state]))]
  const states = status === undefined ? (isBackwards(sort) ? all.reverse() : all) : [status]
  return states.map((state) => ({ name: listName(owner, state, 'created'), backwards: true }))
}

const isBackwards = (sort: ItemSort) => sort.startsWith('-')

function orderOf(sort: ItemSort): ListOrder | 'status' {
  switch (sort) {
    case 'name':
    case '-name':
      return 'name'
    case 'size':
    case '-size':
      return 'size'
    case 'status':
    case '-status':
      return 'status'
    default:
      return 'created'
  }
}

async function numberedPage(db: D1Database, lists: readonly List[], sort: ItemSort, page: number): Promise<ItemPage> {
  const parts = await Promise.all(
    lists.map(async ({ name, backwards }) => ({ runs: await selectRuns(db, name), backwards })),
  )
  const total = countPlaces(parts)
  const start = findPage(parts, (page - 1) * PAGE)
  const found = start ? await readPlaces(db, lists, { ...start, behind: false }) : []
  return { ...(await describe(db, sort, found)), page, pages: Math.ceil(total / PAGE), total }
}

async function nextPage(
  db: D1Database,
  lists: readonly List[],
  sort: ItemSort,
  { part, place }: ItemCursor,
): Promise<ItemPage> {
  const found = await readPlaces(db, lists, { part, bound: place, pass: 0, behind: true })
  return { ...(await describe(db, sort, found)), page: null, pages: null, total: null }
}

/** The places of a page and, where there is one, the next. */
async function readPlaces(
  db: D1Database,
  lists: readonly List[],
  start: { part: number; bound: string | undefined; pass: number; behind: boolean },
): Promise<ItemCursor[]> {
  const found: ItemCursor[] = []
  let { bound, pass, behind } = start
  for (let part = start.part; part < lists.length && found.length <= PAGE; part++) {
    const list = lists[part]
    if (!list) break
    const limit = pass + PAGE + 1 - found.length
    const places = await selectPlaces(db, { list: list.name, backwards: list.backwards, bound, behind, limit })
    for (const place of places.slice(pass)) found.push({ part, place })
    bound = undefined
    pass = 0
    behind = false
  }
  return found
}

async function describe(db: D1Database, sort: ItemSort, found: readonly ItemCursor[]) {
  const shown = found.slice(0, PAGE)
  const last = shown.at(-1)
  const items = await selectListedItems(
    db,
    shown.map(({ place }) => itemOfPlace(place)),
  )
  return { items, cursor: found.length > PAGE && last ? writeItemCursor(last, sort) : undefined }
}

async function searchPage(db: D1Database, userId: string, query: ItemQuery, name: string): Promise<ItemPage> {
  const { status, folder, sort, from } = query
  const page = 'page' in from ? from.page : 1
  const match = matchWords(userId, name)
  if (match === undefined) return { items: [], page, pages: 0, total: 0, cursor: undefined }
  const search = { match, userId, status, folder, order: orderOf(sort), backwards: isBackwards(sort), limit: MAX_FOUND }
  const { ids, more } = await searchItems(db, search)
  const items = await selectListedItems(db, ids.slice((page - 1) * PAGE, page * PAGE))
  return { items, page, pages: Math.ceil(ids.length / PAGE), total: more ? null : ids.length, cursor: undefined }
}
