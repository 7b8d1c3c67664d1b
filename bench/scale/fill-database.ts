import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { settledHistory } from '../../tests/kit/settled-history.ts'

/** Items that an account has. */
const ITEMS_OF_ACCOUNT = 100
/** Every tenth item is of the large account. */
const LARGE_PART = 10
const FILES_OF_FOLDER = 50

/** Accounts that exist already: of as many items as the others have, and of a tenth of all. */
export interface Owners {
  usual: string
  large: string
}

const FASTER = ['foreign_keys = OFF', 'journal_mode = OFF', 'synchronous = OFF', 'cache_size = -524288']

/**
 * Fills the database that a Worker has left in `stateDir` with `count` items, each paid for and written, one account for
 * each hundred, two ledger rows an item, an event an item, and folders of fifty files. Indexes are made afterwards; a
 * million items take some three minutes. Returns the size of the database in bytes.
 */
export function fillDatabase(stateDir: string, count: number, owners: Owners, blocks: readonly string[]): number {
  const file = findDatabase(stateDir)
  const db = new DatabaseSync(file)
  const later = db
    .prepare(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('index', 'trigger') ORDER BY type",
    )
    .all()
  for (const setting of FASTER) db.exec(`PRAGMA ${setting}`)
  for (const { type, name } of later) db.exec(`DROP ${String(type)} ${String(name)}`)
  const users = Math.ceil(count / ITEMS_OF_ACCOUNT)
  for (const { sql, values } of settledHistory(count, 'Nativecoin', blocks, users)) db.prepare(sql).run(...values)
  for (const sql of afterwards(owners)) db.exec(sql)
  for (const { sql } of later) db.exec(String(sql))
  db.exec('PRAGMA journal_mode = WAL')
  db.close()
  return statSync(file).size
}

/** What the history lacks, and what the triggers would have made. */
function afterwards({ usual, large }: Owners): string[] {
  const first = "printf('%024x', 0)"
  return [
    ...['addresses', 'ledger', 'payment_requests', 'items'].map(
      (table) => `UPDATE ${table} SET user_id = '${usual}' WHERE user_id = ${first}`,
    ),
    `UPDATE items SET user_id = '${large}' WHERE rowid % ${LARGE_PART} = 5`,
    `UPDATE items SET name = printf('photo %d of %s.bin', rowid, char(97 + rowid % 26) || char(97 + rowid / 26 % 26)),
       mimetype = CASE rowid % 3 WHEN 0 THEN 'image/png' WHEN 1 THEN 'text/plain' ELSE mimetype END,
       size = 60 + rowid * 7919 % 100000, created_at = created_at + rowid * 1000`,
    `INSERT INTO folders (id, user_id, name, blockchain, created_at, items)
     SELECT printf('f%023x', rowid), user_id, 'folder ' || rowid, blockchain, created_at, 0
     FROM items WHERE rowid % ${FILES_OF_FOLDER} IN (0, 1)`,
    `INSERT INTO item_numbers (item_id) SELECT id FROM items`,
    `INSERT INTO item_words (rowid, words) SELECT n, words FROM item_numbers JOIN wanted_words USING (item_id)`,
    `INSERT INTO events (user_id, type, subject, data, at) SELECT user_id, 'item.stored', id, '{}', unixepoch() * 1000 FROM items`,
    `INSERT INTO audit (at, actor, account, act, subject) SELECT created_at, user_id, user_id, 'login', id FROM items
     WHERE rowid % 10 = 0`,
  ]
}

function findDatabase(stateDir: string): string {
  const files = readdirSync(stateDir, { recursive: true }).map(String)
  const found = files.filter((file) => /D1Database[^/]*\/[0-9a-f]{64}\.sqlite$/.test(file))
  const [only] = found
  if (only === undefined || found.length > 1) throw new Error(`${found.length} databases in ${stateDir}`)
  return join(stateDir, only)
}
