import type { WantedContent } from '../../../contract/item.ts'
import { type Denylist, isDenied } from '../../content/denylist/denylist.ts'
import { AppError } from '../../platform/http/errors.ts'
import { type KnownItem, selectKnownItems, selectTxids, type WantedItem } from './sql/known-items.ts'

/** Txids of one statement: their text stays below the 2 MB of a result of D1. */
const TXIDS_AT_ONCE = 30_000

/** Txids of one answer: some 32 MB of text, and 0.3 s of CPU to check them against the denylist. */
const MOST_TXIDS = 500_000

/**
 * Items of the caller that hold these files, or this folder, and are not denied: one of each, with the place of the file in
 * the request, -1 for the folder. Files of one content are one item.
 * @throws {AppError} 422 where more transactions would have to be checked against the denylist than one answer may.
 */
export async function findKnownItems(
  db: D1Database,
  denied: Denylist,
  userId: string,
  { blockchain, files = [], manifest }: WantedContent,
): Promise<KnownItem[]> {
  const places = new Map<string, number[]>()
  const wanted: WantedItem[] = []
  const add = (index: number, key: string, content: WantedItem) => {
    const same = places.get(key)
    if (same) return same.push(index)
    places.set(key, [index])
    return wanted.push(content)
  }
  if (manifest !== undefined) add(-1, 'manifest', { manifest })
  for (const [index, { size, sha256, mimetype }] of files.entries()) {
    add(index, `${sha256} ${size} ${mimetype}`, { size, sha256, mimetype })
  }
  if (wanted.length === 0) return []
  const found = await selectKnownItems(db, userId, blockchain, wanted)
  const allowed = await withoutDenied(db, denied, found)
  const indexes = [...places.values()]
  return allowed
    .flatMap((item) => (indexes[item.index] ?? []).map((index) => ({ ...item, index })))
    .sort((one, other) => one.index - other.index)
}

async function withoutDenied(db: D1Database, denied: Denylist, items: readonly KnownItem[]): Promise<KnownItem[]> {
  const named = items.filter(({ id, cid }) => !isDenied(denied, { item: id, ...(cid !== null && { cids: [cid] }) }))
  if (named.reduce((sum, { transactions }) => sum + transactions, 0) > MOST_TXIDS) {
    const message = `These files have more than ${MOST_TXIDS} transactions together. Ask for fewer at once.`
    throw new AppError(422, 'too_many_files', message)
  }
  const allowed: KnownItem[] = []
  for (const part of inParts(named)) {
    const onChain = part.filter(({ transactions }) => transactions > 0).map(({ id }) => id)
    const txids = onChain.length === 0 ? new Map<string, string[]>() : await selectTxids(db, onChain)
    allowed.push(...part.filter(({ id }) => !isDenied(denied, { txids: txids.get(id) ?? [] })))
  }
  return allowed
}

/** Parts of at most `TXIDS_AT_ONCE` transactions; one item has fewer. */
function inParts(items: readonly KnownItem[]): KnownItem[][] {
  const parts: KnownItem[][] = []
  let room = 0
  for (const item of items) {
    room -= item.transactions
    if (room < 0 || parts.length === 0) {
      parts.push([])
      room = TXIDS_AT_ONCE - item.transactions
    }
    parts.at(-1)?.push(item)
  }
  return parts
}
