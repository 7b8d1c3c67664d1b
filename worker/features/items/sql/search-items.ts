import { isNewest, type ListOrder, ORDERS } from './item-lists.ts'
import type { ItemStatus } from './item-state.ts'

/**
 * FTS5 splits words at these; so does the view `wanted_words`, which prefixes each word with its account. No name has a control
 * character, of which one ends the text of a query.
 */
const MARKS = /[\s\p{Cc}!"#$%&'()*+,\-.:;<=>?@[\]^_`{|}~\u2013\u2014‘’“”…·«»、。・（）「」，＿]+/u

/** Words of a search that are looked for. */
const MAX_WORDS = 10

/**
 * The FTS5 query for names of one account that have words with these beginnings, all of them, in any order. Undefined
 * where `text` has no word.
 */
export function matchWords(userId: string, text: string): string | undefined {
  const words = text.split(MARKS).filter((word) => /[\p{L}\p{N}\p{Co}]/u.test(word))
  if (words.length === 0) return undefined
  const account = `${Buffer.from(userId).toString('hex')}x`
  return words
    .slice(0, MAX_WORDS)
    .map((word) => `"${account}${word}" *`)
    .join(' ')
}

/** What is searched for, and how it is sorted. */
export interface ItemSearch {
  match: string
  userId: string
  status: ItemStatus | undefined
  /** The id of a folder; null for what is in none; undefined for all. */
  folder: string | null | undefined
  hidden: boolean
  /** As of a list. */
  type?: string
  order: ListOrder
  backwards: boolean
  /** Names that match are read this far, the newest first. */
  limit: number
}

/** Ids of the items and files of directories that a search finds, in order, and whether more names match than were checked. */
export async function searchItems(db: D1Database, search: ItemSearch): Promise<{ ids: string[]; more: boolean }> {
  const { match, userId, status, folder, hidden, order, backwards, limit } = search
  const direction = backwards ? 'DESC' : 'ASC'
  // In one state the newest is first, in either direction.
  const second = order === 'status' ? 'i.created_at DESC, i.id DESC' : `i.id ${direction}`
  const named = await db
    .prepare('SELECT rowid AS n FROM item_words WHERE item_words MATCH ? ORDER BY rowid DESC LIMIT ?')
    .bind(match, limit + 1)
    .all<{ n: number }>()
  const numbers = named.results.slice(0, limit).map(({ n }) => n)
  // From the names that were found to their items: the other way, all items of the account would be checked.
  const { results } = await db
    .prepare(
      `SELECT i.id FROM json_each(?1) AS named
         CROSS JOIN item_numbers ON item_numbers.n = named.value CROSS JOIN items i ON i.id = item_id
         LEFT JOIN items d ON d.id = i.part_of
       WHERE i.user_id = ?2 AND (?3 IS NULL OR IFNULL(d.status, i.status) = ?3)
         AND (?4 IS NULL OR IFNULL(i.folder_id, '') = ?4) AND IFNULL(d.hidden, i.hidden) = ?5
         AND (?5 = 1 OR ${isNewest('IFNULL(i.part_of, i.id)')}) ${search.type ?? ''}
       ORDER BY ${ORDERS[order]} ${direction}, ${second}`,
    )
    .bind(
      ...[JSON.stringify(numbers), userId, status ?? null, folder === undefined ? null : (folder ?? '')],
      hidden ? 1 : 0,
    )
    .all<{ id: string }>()
  return { ids: results.map(({ id }) => id), more: named.results.length > limit }
}
