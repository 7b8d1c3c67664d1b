import { isObjectId } from '../../../protocol/object-id.ts'
import { invalidField } from '../../platform/http/errors.ts'
import { parseCursor } from './page-cursor.ts'
import type { ListPlace } from './sql/item-lists.ts'
import { type ItemStatus, parseItemStatus, STATUS_TEXTS } from './sql/item-state.ts'

export const ITEM_SORTS = ['name', '-name', 'size', '-size', 'status', '-status', 'created', '-created'] as const
export type ItemSort = (typeof ITEM_SORTS)[number]

/** Pages that can be asked for by number. */
export const MAX_PAGE = 1_000_000

/** Characters of a search. */
export const MAX_SEARCH = 200

/** Which items are listed, in which order, and from where on. */
export interface ItemQuery {
  name: string | undefined
  status: ItemStatus | undefined
  /** The id of a folder; null for what is in none; undefined for all. */
  folder: string | null | undefined
  sort: ItemSort
  /** A page's number from 1, or where an earlier page ended. */
  from: { page: number } | ListPlace
}

/** The query of a list of items. @throws {AppError} 400 naming the field. */
export function parseItemQuery(query: Record<string, string>): ItemQuery {
  const { name, status, folder, sort = '-created', page, cursor } = query
  const known = ITEM_SORTS.find((each) => each === sort)
  if (known === undefined) throw invalidField('sort', `must be one of: ${ITEM_SORTS.join(', ')}.`)
  if (cursor !== undefined && page !== undefined) throw invalidField('cursor', 'must not be given with page.')
  const search = name === undefined || name.trim() === '' ? undefined : name
  if (search !== undefined && search.length > MAX_SEARCH) {
    throw invalidField('name', `must be at most ${MAX_SEARCH} characters.`)
  }
  if (search !== undefined && cursor !== undefined) {
    throw invalidField('cursor', 'must not be given with name: what is found has pages.')
  }
  return {
    name: search,
    status: status === undefined ? undefined : readStatus(status),
    folder: readFolder(folder),
    sort: known,
    from: cursor === undefined ? { page: readPage(page) } : readItemCursor(cursor, known),
  }
}

function readStatus(text: string): ItemStatus {
  const status = parseItemStatus(text)
  if (status === undefined) throw invalidField('status', `must be one of: ${STATUS_TEXTS.join(', ')}.`)
  return status
}

function readFolder(text: string | undefined): string | null | undefined {
  if (text === undefined) return undefined
  if (text === 'none') return null
  if (!isObjectId(text)) throw invalidField('folder', 'must be the id of a folder, or none.')
  return text
}

function readPage(text = '1'): number {
  const page = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 0
  if (page < 1 || page > MAX_PAGE) throw invalidField('page', `must be a whole number from 1 to ${MAX_PAGE}.`)
  return page
}

/** Where a page ended, as text: for the usual order `<milliseconds>-<id>`, else unreadable. */
export function writeItemCursor({ key, id, createdAt }: ListPlace, sort: ItemSort): string {
  if (sort === '-created') return `${createdAt}-${id}`
  return Buffer.from(JSON.stringify([sort, key, id, createdAt])).toString('base64url')
}

function readItemCursor(text: string, sort: ItemSort): ListPlace {
  if (sort === '-created') {
    const { createdAt, id } = parseCursor(text)
    return { key: createdAt, id, createdAt }
  }
  const refused = invalidField('cursor', 'must be one that an earlier page of this order gave.')
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
