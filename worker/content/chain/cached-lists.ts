import type { PackRead } from './plan-pack-reads.ts'

/** What a fetcher stored about a list of transactions. */
export interface CachedList {
  /** Whether the content of the list is a record in R2. */
  record: boolean
  /** The packs that hold its transactions; empty when not all of them were stored. */
  reads: PackRead[]
}

/** Rows that one statement deletes. */
const ROWS = 1000

/** The lists that a fetcher stored, by their names, in its storage. */
export class CachedLists {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    sql.exec(
      `CREATE TABLE IF NOT EXISTS lists (
         name TEXT PRIMARY KEY, record INTEGER NOT NULL, reads TEXT NOT NULL, kept_at INTEGER NOT NULL) WITHOUT ROWID`,
    )
    sql.exec('CREATE INDEX IF NOT EXISTS lists_by_age ON lists (kept_at)')
  }

  get(name: string): CachedList | undefined {
    const [row] = [...this.#sql.exec('SELECT record, reads FROM lists WHERE name = ?', name)]
    if (!row) return undefined
    const reads: unknown = JSON.parse(String(row.reads))
    return { record: row.record === 1, reads: Array.isArray(reads) ? reads.flatMap(parseRead) : [] }
  }

  /** `now` in milliseconds since 1970. */
  put(name: string, { record, reads }: CachedList, now: number): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO lists (name, record, reads, kept_at) VALUES (?, ?, ?, ?)',
      name,
      record ? 1 : 0,
      JSON.stringify(reads.map(({ pack, start, end }) => [pack, start, end])),
      now,
    )
  }

  /** Records that R2 does not have the record any more. */
  loseRecord(name: string): void {
    this.#sql.exec('UPDATE lists SET record = 0 WHERE name = ?', name)
  }

  /** Forgets lists that were stored before, some rows a call. */
  forgetBefore(time: number): void {
    this.#sql.exec('DELETE FROM lists WHERE name IN (SELECT name FROM lists WHERE kept_at < ? LIMIT ?)', time, ROWS)
  }
}

function parseRead(row: unknown): PackRead[] {
  if (!Array.isArray(row)) return []
  const [pack, start, end]: unknown[] = row
  return typeof pack === 'string' && typeof start === 'number' && typeof end === 'number' ? [{ pack, start, end }] : []
}
