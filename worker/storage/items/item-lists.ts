import type { ItemStatus } from './item-state.ts'

/** Whose items a list has: an account's, those of one folder, an account's in no folder, or everybody's conflicts. */
export type ListOwner = { user: string } | { folder: string } | { none: string } | 'all'

/** What the places of a list are sorted by. */
export type ListOrder = 'name' | 'size' | 'created'

/** The name of a list, as the view `wanted_places` makes it; `status` undefined takes all. */
export function listName(owner: ListOwner, status: ItemStatus | undefined, order: ListOrder): string {
  const whose = owner === 'all' ? owner : Object.entries(owner).flat().join('/')
  return `${whose}/${status ?? 0}/${order}`
}

/** A part of a list: `n` places from `first` on, up to that of the next run. */
export interface ListRun {
  first: string
  n: number
}

/** The runs of a list, in order. */
export async function selectRuns(db: D1Database, list: string): Promise<ListRun[]> {
  const { results } = await db
    .prepare('SELECT first, n FROM item_runs WHERE list = ? ORDER BY first')
    .bind(list)
    .all<ListRun>()
  return results
}

/** A stretch of a list, read from `bound` on: onwards from it, or, `backwards`, from what is before it. */
export interface Stretch {
  list: string
  backwards: boolean
  /** A place, or how one begins; undefined for the end that the reading begins at. */
  bound: string | undefined
  /** Whether the item at `bound` itself was read before. */
  behind: boolean
  limit: number
}

/** Places of a list, in the order in which they are read. */
export async function selectPlaces(db: D1Database, stretch: Stretch): Promise<string[]> {
  const { list, backwards, bound, behind, limit } = stretch
  const from = bound === undefined ? '' : `AND place ${backwards ? '<' : behind ? '>' : '>='} ?3`
  const { results } = await db
    .prepare(
      `SELECT place FROM item_places WHERE list = ?1 ${from} ORDER BY place ${backwards ? 'DESC' : 'ASC'} LIMIT ?2`,
    )
    .bind(list, limit, ...(bound === undefined ? [] : [bound]))
    .all<{ place: string }>()
  return results.map(({ place }) => place)
}

/** Stands between what a place is sorted by and the id of its item; no name has it. */
const SEPARATOR = '\u0001'

/** The place of an item in a list sorted by `created`; `createdAt` in milliseconds. */
export function createdPlace({ createdAt, id }: { createdAt: number; id: string }): string {
  return String(createdAt).padStart(15, '0') + SEPARATOR + id
}

/** The id of the item at a place. */
export function itemOfPlace(place: string): string {
  return place.slice(place.lastIndexOf(SEPARATOR) + 1)
}

/** What an account has in a state. */
export interface ItemCount {
  status: number
  n: number
  bytes: number
}

/** How many items an account has in each state, and their bytes. */
export async function selectItemCounts(db: D1Database, userId: string): Promise<ItemCount[]> {
  const { results } = await db
    .prepare('SELECT status, n, bytes FROM item_counts WHERE user_id = ?')
    .bind(userId)
    .all<ItemCount>()
  return results
}
