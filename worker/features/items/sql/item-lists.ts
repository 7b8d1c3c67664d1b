import { ITEM_STATES, type ItemStatus, STATUS } from './item-state.ts'

/**
 * Whose items a list has: an account's, those of one folder, an account's in no folder, those of an order, files of its
 * directories among them, the files of a directory, or everybody's conflicts.
 */
type ListOwner =
  | { user: string; order?: string }
  | { folder: string }
  | { none: string }
  | { directory: string }
  | 'all'

/**
 * That an item, whose id is given as SQL, is listed: not where each site that it is a version of has a newer one, which is listed
 * in its place.
 */
export const isNewest = (id: string) => `IFNULL((
    SELECT MIN(EXISTS (SELECT 1 FROM site_versions AS n WHERE n.site_id = v.site_id AND n.number > v.number))
    FROM site_versions AS v WHERE v.item_id = ${id}), 0) = 0`

/** What a list or a search is sorted by, as SQL over `items i`; the order of states is the one that items pass through. */
export const ORDERS = {
  name: 'lower(i.name)',
  size: 'i.size',
  created: 'i.created_at',
  status: `instr('${[...new Set(ITEM_STATES.map((state) => STATUS[state]))].join()}', i.status)`,
} as const

export type ListOrder = keyof typeof ORDERS
export const LIST_ORDERS = ['name', 'size', 'created', 'status'] as const satisfies readonly ListOrder[]

/** Items of `owner`, all or those with one status; in one state the newest is first, in either direction. */
export interface ItemList {
  owner: ListOwner
  status: ItemStatus | undefined
  /** Whether those are listed that are hidden, or those that are not; of an order or a directory all are. */
  hidden: boolean
  /** Where they are stored and of which kind they are, of `ofType`. */
  type?: string
  order: ListOrder
  backwards: boolean
}

/** What the item with this id is sorted by, and, sorted by state, when it was made. */
export interface ListPlace {
  key: string | number
  id: string
  createdAt: number
}

/** Places of a list in order: those behind a place, or after so many others. */
export async function selectPlaces(
  db: D1Database,
  list: ItemList,
  from: ListPlace | { skip: number },
  limit: number,
): Promise<ListPlace[]> {
  const key = ORDERS[list.order]
  const [direction, compare] = list.backwards ? ['DESC', '<'] : ['ASC', '>']
  const byState = list.order === 'status'
  const second = byState ? 'i.created_at DESC, i.id DESC' : `i.id ${direction}`
  const behind = byState
    ? `(${key} ${compare} ? OR ${key} = ? AND (i.created_at, i.id) < (?, ?))`
    : `(${key}, i.id) ${compare} (?, ?)`
  const place = 'skip' in from ? [] : byState ? [from.key, from.key, from.createdAt, from.id] : [from.key, from.id]
  const { sql, values } = listed(list)
  const { results } = await db
    .prepare(
      `SELECT ${key} AS key, i.id, i.created_at AS createdAt FROM ${sql} ${place.length > 0 ? `AND ${behind}` : ''}
       ORDER BY ${key} ${direction}, ${second} LIMIT ? OFFSET ?`,
    )
    .bind(...values, ...place, limit, 'skip' in from ? from.skip : 0)
    .all<ListPlace>()
  return results
}

/** How many items a list has. */
export async function countPlaces(db: D1Database, list: ItemList): Promise<number> {
  const { sql, values } = listed(list)
  const row = await db
    .prepare(`SELECT COUNT(*) AS n FROM ${sql}`)
    .bind(...values)
    .first<{ n: number }>()
  return row?.n ?? 0
}

/** The rows of a list, found by the index that has its order, or few other rows. */
function listed({ owner, status, hidden, order, type = '' }: ItemList): { sql: string; values: string[] } {
  const [index, condition, ...values] = ownedRows(owner, order === 'status' ? 'created' : order)
  const narrow = status === undefined ? '' : `AND i.status = ${status}`
  return {
    sql: `items i INDEXED BY ${index} WHERE ${condition} ${narrow} AND i.removed_at IS NULL ${shownRows(owner, hidden)} ${type}`,
    values,
  }
}

function shownRows(owner: ListOwner, hidden: boolean): string {
  if (owner === 'all') return 'AND i.part_of IS NULL'
  if ('directory' in owner || ('order' in owner && owner.order !== undefined)) return ''
  return `AND i.part_of IS NULL AND ${hidden ? 'i.hidden = 1' : `i.hidden = 0 AND ${isNewest('i.id')}`}`
}

function ownedRows(owner: ListOwner, order: string): [index: string, condition: string, ...values: string[]] {
  if (owner === 'all') return ['items_by_status', `i.status = ${STATUS.stopped}`]
  if ('directory' in owner) return ['items_by_directory_item', 'i.part_of = ?', owner.directory]
  if ('folder' in owner) return ['items_by_folder', 'i.folder_id = ?', owner.folder]
  if ('none' in owner) return [`items_by_${order}`, 'i.user_id = ? AND i.folder_id IS NULL', owner.none]
  if (owner.order !== undefined) {
    return ['items_by_order', 'i.user_id = ? AND i.order_id = ?', owner.user, owner.order]
  }
  return [`items_by_${order}`, 'i.user_id = ?', owner.user]
}

/** What an account has in a state, or hides in it. */
export interface ItemCount {
  status: number
  hidden: number
  n: number
  bytes: number
}

/** How many items of an account are listed in each state, and how many are hidden, with their bytes. */
export async function selectItemCounts(db: D1Database, userId: string): Promise<ItemCount[]> {
  const { results } = await db
    .prepare(
      `SELECT status, hidden, COUNT(*) AS n, SUM(size) AS bytes FROM items AS i INDEXED BY items_by_size
       WHERE user_id = ? AND removed_at IS NULL AND part_of IS NULL AND (hidden = 1 OR ${isNewest('i.id')})
       GROUP BY status, hidden`,
    )
    .bind(userId)
    .all<ItemCount>()
  return results
}
