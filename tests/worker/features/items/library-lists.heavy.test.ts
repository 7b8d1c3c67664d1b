import { env } from 'cloudflare:test'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ITEM_SORTS, ItemQuery } from '../../../../contract/item.ts'
import { objectId } from '../../../../protocol/object-id.ts'
import { itemPage } from '../../../../worker/features/items/item-page.ts'
import { type ItemSort, readItemQuery } from '../../../../worker/features/items/item-query.ts'
import { selectItemCounts } from '../../../../worker/features/items/sql/item-lists.ts'
import { ITEM_STATES, STATUS } from '../../../../worker/features/items/sql/item-state.ts'
import { deleteRemovedItems } from '../../../../worker/features/items/sql/items-to-sweep.ts'
import {
  abandonDirectory,
  beginMerges,
  finishDirectoryMerge,
  finishMerges,
  insertDirectory,
  insertUploads,
  payItemsStatements,
  publishIpfsItemStatements,
  refuseMerge,
  removeItemStatements,
  resumeItemsStatements,
  stopItemsStatements,
} from '../../../../worker/features/items/sql/move-items.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { batchIf } from '../../../../worker/platform/d1/guarded-batch.ts'
import { parseOrThrow } from '../../../kit/parse-or-throw.ts'

const NOW = 1_700_000_000_000
const MOST = Number.MAX_SAFE_INTEGER
const MERGED = { storedSize: 1, transactions: 0, maxDataBytes: null, cid: 'cid' }
const { quotas } = readConfig(env)
const batch = async (statements: D1PreparedStatement[]) => await batchIf(env.DB, statements)

/** An account with two folders, one in the other. */
async function newLibrary() {
  const user = crypto.randomUUID()
  const outer = objectId(NOW)
  const inner = objectId(NOW)
  const insert = env.DB.prepare(
    `INSERT INTO folders (id, user_id, parent_id, name, blockchain, created_at) VALUES (?, ?, ?, 'f', 'IPFS', ?)`,
  )
  await env.DB.batch([insert.bind(outer, user, null, NOW), insert.bind(inner, user, outer, NOW)])
  return { user, outer, inner, ids: [] as string[] }
}

type Library = Awaited<ReturnType<typeof newLibrary>>

async function upload(library: Library, folderId: string | null, name: string, size: number): Promise<void> {
  const id = objectId(NOW)
  const createdAt = NOW + (size % 5)
  const content = { name, mimetype: 'text/html', size, chunkSize: 1, chunks: 1, blockchain: 'IPFS' as const }
  await insertUploads(env.DB, library.user, [{ id, userId: library.user, folderId, createdAt, ...content }], quotas)
  library.ids.push(id)
}

async function pay(userId: string, id: string): Promise<void> {
  await env.DB.prepare(
    `INSERT OR IGNORE INTO payment_requests (id, user_id, target, blockchain, item_set, amount, state, created_at, expires_at, fee_rate, network_fee, storage_fee)
     VALUES (?1, ?2, 'IPFS', 'Bitcoin', ?1, '1', 'settled', 1, 1, '1', '0', '1')`,
  )
    .bind(id, userId)
    .run()
  await batch(payItemsStatements(env.DB, { id, userId, blockchain: 'Bitcoin', target: 'IPFS', itemIds: [id] }, NOW))
}

/** Merges the inner folder with all that is in it. */
async function mergeFolder(library: Library): Promise<void> {
  const { results } = await env.DB.prepare('SELECT id FROM items WHERE folder_id = ? AND removed_at IS NULL')
    .bind(library.inner)
    .all<{ id: string }>()
  const id = objectId(NOW)
  const directory = { id, userId: library.user, folderId: library.outer, directoryOf: library.inner, name: 'f' }
  await insertDirectory(
    env.DB,
    { ...directory, blockchain: 'IPFS', mimetype: 'text/html', size: 9, createdAt: NOW },
    [library.inner],
    results.map((row) => row.id),
    MOST,
  )
  library.ids.push(id)
}

/** What can happen to an item, or to the library that it is in; what its state does not allow changes nothing. */
const ACTS: Record<string, (library: Library, id: string) => Promise<unknown>> = {
  'begin the merge': ({ user }, id) => beginMerges(env.DB, user, [id], MOST, NOW),
  'refuse the merge': (_, id) => refuseMerge(env.DB, id, { code: 'content_too_large', message: 'No.' }, NOW),
  'finish the merge': (_, id) => finishMerges(env.DB, [{ id, ...MERGED }], NOW),
  'merge the folder': mergeFolder,
  'finish the folder': async (_, id) => {
    const files = await env.DB.prepare(`SELECT id, 'c' AS cid FROM items WHERE part_of = ?`)
      .bind(id)
      .all<{ id: string; cid: string }>()
    await finishDirectoryMerge(
      env.DB,
      id,
      { cid: 'cid', storedSize: 1, transactions: 0, maxDataBytes: null, files: files.results },
      NOW,
    )
  },
  'abandon the folder': (_, id) => abandonDirectory(env.DB, id, NOW),
  pay: ({ user }, id) => pay(user, id),
  stop: (_, id) => batch(stopItemsStatements(env.DB, [id], 'parked', 'No.', NOW)),
  resume: (_, id) => batch(resumeItemsStatements(env.DB, [id], 'parked', NOW)),
  publish: (_, id) => batch(publishIpfsItemStatements(env.DB, id, NOW)),
  remove: (_, id) => batch(removeItemStatements(env.DB, id, NOW)),
  purge: (_, id) => deleteRemovedItems(env.DB, [id]),
}

interface Row {
  id: string
  name: string
  size: number
  status: number
  folder_id: string | null
  created_at: number
}

const STATE_ORDER: number[] = [...new Set(ITEM_STATES.map((state) => STATUS[state]))]
const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)

/** The rows as a list of this order has them. */
function sorted(rows: readonly Row[], sort: ItemSort): string[] {
  const sign = sort.startsWith('-') ? -1 : 1
  const newest = (a: Row, b: Row) => compare(b.created_at, a.created_at) || compare(b.id, a.id)
  return rows
    .toSorted((a, b) => {
      const order = STATE_ORDER.indexOf(a.status) - STATE_ORDER.indexOf(b.status)
      if (sort.endsWith('status')) return sign * order || newest(a, b)
      if (sort.endsWith('created')) return sign * -newest(a, b)
      const key = sort.endsWith('name') ? compare(a.name.toLowerCase(), b.name.toLowerCase()) : a.size - b.size
      return sign * (key || compare(a.id, b.id))
    })
    .map(({ id }) => id)
}

async function readPages(user: string, query: Record<string, string>, how: 'page' | 'cursor') {
  const ids: string[] = []
  let total: number | null = null
  let cursor: string | undefined
  for (let page = 1; ; page++) {
    const place: Record<string, string> =
      how === 'page' ? { page: String(page) } : cursor === undefined ? {} : { cursor }
    const asked = readItemQuery(parseOrThrow(ItemQuery, { ...query, ...place }))
    const found = await itemPage(env.DB, { userId: user, permissions: [] }, asked)
    ids.push(...found.items.map(({ id }) => id))
    total ??= found.total
    cursor = found.cursor
    if (cursor === undefined) return { ids, total }
  }
}

/** Compares what the lists say with what the items themselves say. */
async function check({ user, outer, inner }: Library): Promise<void> {
  const { results: rows } = await env.DB.prepare(
    'SELECT * FROM items WHERE user_id = ? AND removed_at IS NULL AND part_of IS NULL',
  )
    .bind(user)
    .all<Row>()
  for (const { status, n, bytes } of await selectItemCounts(env.DB, user)) {
    const counted = rows.filter((row) => row.status === status)
    expect({ status, n, bytes }).toEqual({
      status,
      n: counted.length,
      bytes: counted.reduce((sum, { size }) => sum + size, 0),
    })
  }
  const { results: kept } = await env.DB.prepare('SELECT id, items FROM folders WHERE user_id = ?')
    .bind(user)
    .all<{ id: string; items: number }>()
  // The folder of a directory goes with it.
  const folders = [undefined, 'none', outer, ...kept.flatMap(({ id }) => (id === inner ? [id] : []))]
  for (const [index, sort] of ITEM_SORTS.entries()) {
    const folder = folders[index % folders.length]
    const status = index % 3 === 0 ? STATE_ORDER[index % STATE_ORDER.length] : undefined
    const wanted = rows.filter(
      (row) =>
        (status === undefined || row.status === status) &&
        (folder === undefined || row.folder_id === (folder === 'none' ? null : folder)),
    )
    const query = { sort, ...(folder && { folder }), ...(status && { status: String(status) }) }
    const how = index % 2 === 0 ? 'page' : 'cursor'
    expect(await readPages(user, query, how)).toEqual({ ids: sorted(wanted, sort), total: wanted.length })
  }
  const { results: files } = await env.DB.prepare(
    'SELECT folder_id FROM items WHERE user_id = ? AND removed_at IS NULL AND directory_of IS NULL',
  )
    .bind(user)
    .all<{ folder_id: string | null }>()
  const inInner = files.filter((file) => file.folder_id === inner).length
  const inOuter = files.filter((file) => file.folder_id === outer).length + inInner
  for (const { id, items } of kept) expect(items).toBe(id === outer ? inOuter : inInner)
  const { results: directories } = await env.DB.prepare(
    `SELECT files, (SELECT COUNT(*) FROM items f WHERE f.part_of = d.id AND f.removed_at IS NULL) AS counted
     FROM items d WHERE user_id = ? AND directory_of IS NOT NULL AND removed_at IS NULL`,
  )
    .bind(user)
    .all<{ files: number; counted: number }>()
  for (const directory of directories) expect(directory.files).toBe(directory.counted)
}

const NAMES = fc.constantFrom('a.txt', 'A.txt', 'b.txt', 'beach.png', 'été.txt', 'B')
const uploads = fc.record({ where: fc.nat(2), name: NAMES, size: fc.integer({ min: 1, max: 30 }) })
const acts = fc.tuple(fc.constantFrom(...Object.keys(ACTS)), fc.nat())

it('counts and lists what there is, whatever happened to it before', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(uploads, { minLength: 1, maxLength: 12 }),
      fc.array(acts, { maxLength: 25 }),
      async (files, moves) => {
        const library = await newLibrary()
        const places = [null, library.outer, library.inner]
        for (const { where, name, size } of files) await upload(library, places[where] ?? null, name, size)
        for (const [act, choice] of moves) {
          const id = library.ids[choice % library.ids.length]
          if (id) await ACTS[act]?.(library, id)
        }
        await check(library)
      },
    ),
    { numRuns: 25 },
  )
})

/** Items of a library as rows, many at once. */
async function insertMany(library: Library, count: number, folder: string | null): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO items (id, user_id, folder_id, name, mimetype, blockchain, size, chunk_size, chunks, created_at, updated_at)
     WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ?1)
     SELECT printf('%08x%016x', ?2, abs(random())), ?3, ?4, 'n' || (x * 7919 % 97), 'text/plain', 'IPFS',
       x * 7919 % 389, 1, 1, ?5 + x % 61, ?5 FROM c`,
  )
    .bind(count, Math.floor(NOW / 1000), library.user, folder, NOW)
    .run()
}

it('finds every page of a list that grew long and shrank again, in any order', { timeout: 300_000 }, async () => {
  const library = await newLibrary()
  await insertMany(library, 900, null)
  await insertMany(library, 300, library.inner)
  await check(library)
  const move = (sql: string) => env.DB.prepare(sql).bind(library.user).run()
  await move('UPDATE items SET status = 402 WHERE user_id = ? AND size % 3 = 1')
  await move('UPDATE items SET status = 200 WHERE user_id = ? AND size % 3 = 2')
  await check(library)
  await move('UPDATE items SET removed_at = 1 WHERE user_id = ? AND created_at % 8 > 0')
  await check(library)
  await insertMany(library, 500, library.outer)
  await check(library)
  await move('UPDATE items SET removed_at = 1 WHERE user_id = ?')
  await check(library)
})
