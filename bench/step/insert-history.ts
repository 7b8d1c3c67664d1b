import type { MemoryD1 } from '../../tests/kit/in-process/memory-d1.ts'
import { settledHistory } from '../../tests/kit/settled-history.ts'

/** A quarter of a gigabyte of cache, because each account's ledger is spread over the table. */
const SEEDING = ['foreign_keys = OFF', 'journal_mode = OFF', 'synchronous = OFF', 'cache_size = -262144']
const WORKING = ['foreign_keys = ON', 'journal_mode = WAL', 'synchronous = NORMAL', 'cache_size = -16384']

/**
 * Inserts a history of `count` settled payments and written items into an empty database. Tables that a chain's agent
 * does not read (lists of items, search words) stay empty. Indexes are created after the rows, and no write waits for
 * the disk: a million take a minute.
 */
export function insertHistory(d1: MemoryD1, count: number, blockchain: string, blocks: readonly string[]): void {
  const later = d1.rows(
    `SELECT type, name, sql FROM sqlite_master
     WHERE sql IS NOT NULL AND (type = 'index' OR type = 'trigger' AND tbl_name = 'items') ORDER BY type`,
  )
  for (const setting of SEEDING) d1.rows(`PRAGMA ${setting}`)
  for (const { type, name } of later) d1.rows(`DROP ${type} ${name}`)
  const history = count > 0 ? settledHistory(count, blockchain, blocks) : []
  for (const { sql, values } of history) d1.rows(sql, ...values)
  for (const { sql } of later) d1.rows(String(sql))
  for (const setting of WORKING) d1.rows(`PRAGMA ${setting}`)
}
