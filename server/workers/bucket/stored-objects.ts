import type { BlobRows, Draft, Piece } from './blob-rows.ts'
import { BucketError } from './bucket-error.ts'
import type { Condition } from './bucket-request.ts'
import { conditionHolds } from './conditions.ts'
import type { ObjectRow } from './object-json.ts'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS objects (
  key TEXT PRIMARY KEY, pieces TEXT NOT NULL, version TEXT NOT NULL, size INTEGER NOT NULL, etag TEXT NOT NULL,
  uploaded INTEGER NOT NULL, checksums TEXT NOT NULL, http_metadata TEXT NOT NULL, custom_metadata TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS objects_by_age ON objects (uploaded);
`

/** `pieces`: JSON of {@link Piece}s. */
export type StoredRow = ObjectRow & { pieces: string }

/** How many objects give way at a time. */
const EVICTED = 16

/** The keys of a bucket. Where `mostBytes` is set the oldest objects give way to new ones. */
export class StoredObjects {
  readonly #storage: DurableObjectStorage
  readonly #blobs: BlobRows
  readonly #mostBytes: number | undefined
  #bytes: number

  constructor(storage: DurableObjectStorage, blobs: BlobRows, mostBytes?: number) {
    this.#storage = storage
    this.#blobs = blobs
    this.#mostBytes = mostBytes
    storage.sql.exec(SCHEMA)
    this.#bytes = storage.sql.exec<{ bytes: number }>('SELECT total(size) AS bytes FROM objects').one().bytes
  }

  /** Of all objects, without uploads that have not ended. */
  get bytes(): number {
    return this.#bytes
  }

  find(key: string): StoredRow | undefined {
    return this.#storage.sql.exec<StoredRow>('SELECT * FROM objects WHERE key = ?', key).toArray()[0]
  }

  /** Runs `act` in one transaction, and removes the rows of the blobs that it returns as `old` after it. */
  change<T>(act: () => { result: T; old: number[] }): T {
    const { result, old } = this.#storage.transactionSync(() => {
      const outcome = act()
      this.#blobs.unname(outcome.old)
      return outcome
    })
    this.#blobs.sweep(old)
    this.#makeRoom()
    return result
  }

  /** Within {@link change}: names a draft by a key; returns the blobs that had that name. @throws {BucketError} */
  put(row: Omit<StoredRow, 'pieces'>, draft: Draft, onlyIf: Condition | undefined): number[] {
    const before = this.find(row.key)
    if (onlyIf && !conditionHolds(onlyIf, before)) throw new BucketError('preconditionFailed')
    return this.replace({ ...row, pieces: JSON.stringify([this.#blobs.name(draft)]) }, before)
  }

  /** Within {@link change}: the row in place of the one of that key. */
  replace(row: StoredRow, before = this.find(row.key)): number[] {
    const { key, pieces, version, size, etag, uploaded, checksums, http_metadata, custom_metadata } = row
    this.#storage.sql.exec(
      'INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[key, pieces, version, size, etag, uploaded, checksums, http_metadata, custom_metadata],
    )
    this.#bytes += size - (before?.size ?? 0)
    return blobsOf(before)
  }

  /** Within {@link change}: forgets these keys; returns their blobs. */
  delete(keys: readonly string[]): number[] {
    return keys.flatMap((key) => {
      const row = this.find(key)
      if (!row) return []
      this.#storage.sql.exec('DELETE FROM objects WHERE key = ?', key)
      this.#bytes -= row.size
      return blobsOf(row)
    })
  }

  #makeRoom(): void {
    while (this.#mostBytes !== undefined && this.#bytes > this.#mostBytes) {
      const oldest = this.#storage.sql
        .exec<{ key: string }>(`SELECT key FROM objects ORDER BY uploaded LIMIT ${EVICTED}`)
        .toArray()
      if (oldest.length === 0) return
      const old = this.#storage.transactionSync(() => {
        const blobs = this.delete(oldest.map(({ key }) => key))
        this.#blobs.unname(blobs)
        return blobs
      })
      this.#blobs.sweep(old)
    }
  }
}

/** The blobs of an object, in their order. */
export function piecesOf({ pieces }: StoredRow): Piece[] {
  return JSON.parse(pieces)
}

function blobsOf(row: StoredRow | undefined): number[] {
  return row ? piecesOf(row).map(([blob]) => blob) : []
}
