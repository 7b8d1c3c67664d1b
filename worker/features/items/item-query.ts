import type { ItemQuery as Query } from '../../../contract/item.ts'
import { isObjectId } from '../../../protocol/object-id.ts'
import { parsePageKey } from '../../platform/d1/page-key.ts'
import { invalidField } from '../../platform/http/errors.ts'
import type { ListPlace } from './sql/item-lists.ts'
import { type ItemStatus, parseItemStatus } from './sql/item-state.ts'

export type ItemSort = Query['sort']

/** Which items are listed, in which order, and from where on. */
export interface ItemQuery {
  name: string | undefined
  status: ItemStatus | undefined
  /** The id of a folder; null for what is in none; undefined for all. */
  folder: string | null | undefined
  /** The id of an order, whose items are listed, those in directories too. */
  order: string | undefined
  /** The id of a directory, whose files are listed. */
  directory: string | undefined
  hidden: boolean
  blockchain: Query['blockchain']
  kind: Query['kind']
  sort: ItemSort
  /** A page's number from 1, or where an earlier page ended. */
  from: { page: number } | ListPlace
}

/**
 * What is listed, by a query that its schema accepted.
 * @throws {AppError} 400 naming the field, where two do not go together or a cursor is of another list.
 */
export function readItemQuery(query: Query): ItemQuery {
  const { name, status, folder, order, directory, hidden, blockchain, kind, sort, page, cursor } = query
  if (cursor !== undefined && page !== undefined) throw invalidField('cursor', 'must not be given with page.')
  const search = name?.trim() ? name : undefined
  if (search !== undefined && cursor !== undefined) {
    throw invalidField('cursor', 'cannot be combined with name: search results are numbered pages.')
  }
  if (order !== undefined && (search ?? folder) !== undefined) {
    throw invalidField('order', 'must not be given with name or folder.')
  }
  if (directory !== undefined && (search ?? folder ?? order) !== undefined) {
    throw invalidField('directory', 'must not be given with name, folder or order.')
  }
  return {
    name: search,
    status: status === undefined ? undefined : parseItemStatus(status),
    folder: folder === 'none' ? null : folder,
    order,
    directory,
    hidden: hidden !== undefined,
    blockchain,
    kind,
    sort,
    from: cursor === undefined ? { page: page ?? 1 } : readItemCursor(cursor, sort),
  }
}

/** Where a page ended, as text: for the usual order `<milliseconds>-<id>`, else unreadable. */
export function writeItemCursor({ key, id, createdAt }: ListPlace, sort: ItemSort): string {
  if (sort === '-created') return `${createdAt}-${id}`
  return Buffer.from(JSON.stringify([sort, key, id, createdAt])).toString('base64url')
}

function readItemCursor(text: string, sort: ItemSort): ListPlace {
  if (sort === '-created') {
    const { createdAt, id } = parsePageKey(text)
    return { key: createdAt, id, createdAt }
  }
  const refused = invalidField('cursor', 'must be one that an earlier page of this order returned.')
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(text.slice(0, 2000), 'base64url').toString())
  } catch {
    throw refused
  }
  if (!Array.isArray(value)) throw refused
  const [of, key, id, createdAt]: unknown[] = value
  const hasKey = typeof key === 'string' || typeof key === 'number'
  if (of !== sort || !hasKey || !isObjectId(id) || typeof createdAt !== 'number') throw refused
  return { key, id, createdAt }
}
