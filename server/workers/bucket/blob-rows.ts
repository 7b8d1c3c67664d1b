import { createHash } from 'node:crypto'
import { BucketError } from './bucket-error.ts'
import type { ByteRange } from './ranges.ts'

/** Bytes of a row: SQLite here takes values below 2 MiB. */
const ROW_BYTES = 1 << 20
/** The row `position` of a blob has the id `blob * MOST_ROWS + position`; the largest part of R2, 5 GiB, has 5,120. */
const MOST_ROWS = 2 ** 16
/** Milliseconds in which a put that got no byte has ended. */
const STALE_MS = 3_600_000

const SCHEMA = `
CREATE TABLE IF NOT EXISTS blob_rows (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS unnamed_blobs (blob INTEGER PRIMARY KEY);
`

/** A part of an object: a blob with its bytes. */
export type Piece = [blob: number, size: number]

/** Bytes that arrived and that no key names yet. The last row is written with the key. */
export interface Draft {
  blob: number
  size: number
  /** Lowercase hex, by algorithm of `node:crypto`. */
  digests: Map<string, string>
  rows: number
  last: Uint8Array
}

/** A stream of bytes, or all of them. */
export type Body = Uint8Array | ReadableStream<Uint8Array>

/**
 * The bytes of a bucket as rows of its object's SQLite, so that a key and its bytes are written by one transaction. A blob
 * that no key names is listed in `unnamed_blobs` until its rows are removed; whatever is there at the start was left by
 * a put that did not end, or by a reader. The first write removes that, and not the start: on a full disk it can fail, and
 * reading goes on.
 */
export class BlobRows {
  readonly #sql: SqlStorage
  #next: number
  readonly #readers = new Map<number, number>()
  /** Drafts with rows, by their last byte's time. */
  readonly #drafts = new Map<number, number>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
    sql.exec(SCHEMA)
    const { last } = sql
      .exec<{ last: number }>(
        `SELECT max(coalesce((SELECT max(id) / ${MOST_ROWS} FROM blob_rows), 0),
                    coalesce((SELECT max(blob) FROM unnamed_blobs), 0)) AS last`,
      )
      .one()
    this.#next = last + 1
    for (const { blob } of sql.exec<{ blob: number }>('SELECT blob FROM unnamed_blobs')) this.#drafts.set(blob, 0)
  }

  /** Writes all but the last row; {@link name} writes that. @throws {Error} where the body has not `size` bytes. */
  async write(body: Body, size: number, algorithms: readonly string[]): Promise<Draft> {
    this.#sweepStale()
    const blob = this.#next++
    const hashes = algorithms.map((algorithm) => ({ algorithm, hash: createHash(algorithm) }))
    let [rows, length] = [0, 0]
    let last: Uint8Array = new Uint8Array()
    try {
      for await (const bytes of inRows(body)) {
        for (const { hash } of hashes) hash.update(bytes)
        if (last.length > 0) this.#writeRow(blob, rows++, last)
        last = bytes
        length += bytes.length
        if (length > size || rows >= MOST_ROWS) throw new BucketError('tooLarge')
      }
      if (length !== size) throw new Error(`a body of ${size} bytes ended after ${length}`)
    } catch (error) {
      this.sweep(rows > 0 ? [blob] : [])
      throw error
    }
    return {
      blob,
      size,
      rows,
      last,
      digests: new Map(hashes.map(({ algorithm, hash }) => [algorithm, hash.digest('hex')])),
    }
  }

  /** Within the transaction that names a draft's blob: it stays. @throws {Error} where it was swept. */
  name(draft: Draft): Piece {
    if (draft.rows > 0) {
      this.#drafts.delete(draft.blob)
      const marked = this.#sql.exec('DELETE FROM unnamed_blobs WHERE blob = ? RETURNING blob', draft.blob).toArray()
      if (marked.length === 0) throw new BucketError('internal')
    }
    if (draft.last.length > 0) this.#insertRow(draft.blob, draft.rows, draft.last)
    return [draft.blob, draft.size]
  }

  /** Within the transaction that names these blobs no more; {@link sweep} removes them after it. */
  unname(blobs: readonly number[]): void {
    for (const blob of blobs) this.#sql.exec('INSERT OR IGNORE INTO unnamed_blobs (blob) VALUES (?)', blob)
  }

  /** Removes the rows of blobs without a name, of each that is read when its last reader has ended. */
  sweep(blobs: readonly number[]): void {
    for (const blob of blobs) {
      this.#drafts.delete(blob)
      if (this.#readers.has(blob)) continue
      this.#sql.exec('DELETE FROM blob_rows WHERE id >= ? AND id < ?', blob * MOST_ROWS, (blob + 1) * MOST_ROWS)
      this.#sql.exec('DELETE FROM unnamed_blobs WHERE blob = ?', blob)
    }
  }

  /** The bytes of an object in this range, after `before`: at once where they are few, otherwise a row at a time. */
  read(pieces: readonly Piece[], range: ByteRange, before: Uint8Array): Uint8Array<ArrayBuffer> | ReadableStream {
    const rows = rowsOf(pieces, range)
    if (range.length <= ROW_BYTES) {
      const whole = new Uint8Array(before.length + range.length)
      whole.set(before)
      let at = before.length
      for (const row of rows) {
        const bytes = this.#readRow(row)
        whole.set(bytes, at)
        at += bytes.length
      }
      return whole
    }
    const blobs = [...new Set(pieces.map(([blob]) => blob))]
    for (const blob of blobs) this.#readers.set(blob, (this.#readers.get(blob) ?? 0) + 1)
    const end = () => this.#endReading(blobs)
    const readRow = (row: Row) => this.#readRow(row)
    let started = false
    return new ReadableStream({
      type: 'bytes',
      pull(controller) {
        if (!started) {
          started = true
          controller.enqueue(before)
          return
        }
        const { value, done } = rows.next()
        if (done) {
          end()
          controller.close()
        } else controller.enqueue(readRow(value))
      },
      cancel: end,
    })
  }

  #endReading(blobs: readonly number[]): void {
    const ended = blobs.filter((blob) => {
      const others = (this.#readers.get(blob) ?? 1) - 1
      if (others === 0) this.#readers.delete(blob)
      else this.#readers.set(blob, others)
      return others === 0
    })
    const isUnnamed = (blob: number) =>
      this.#sql.exec('SELECT 1 FROM unnamed_blobs WHERE blob = ?', blob).toArray().length > 0
    this.sweep(ended.filter(isUnnamed))
  }

  #writeRow(blob: number, position: number, bytes: Uint8Array): void {
    if (position === 0) this.unname([blob])
    else if (!this.#drafts.has(blob)) throw new BucketError('internal')
    this.#drafts.set(blob, Date.now())
    this.#insertRow(blob, position, bytes)
  }

  #insertRow(blob: number, position: number, bytes: Uint8Array): void {
    this.#sql.exec('INSERT INTO blob_rows (id, bytes) VALUES (?, ?)', blob * MOST_ROWS + position, bytes)
  }

  #readRow({ id, from, to }: Row): Uint8Array {
    const { bytes } = this.#sql.exec<{ bytes: ArrayBuffer }>('SELECT bytes FROM blob_rows WHERE id = ?', id).one()
    return new Uint8Array(bytes).subarray(from, to)
  }

  #sweepStale(): void {
    const before = Date.now() - STALE_MS
    this.sweep([...this.#drafts].filter(([, at]) => at < before).map(([blob]) => blob))
  }
}

/** Bytes `from` to `to` of a row. */
interface Row {
  id: number
  from: number
  to: number
}

function* rowsOf(pieces: readonly Piece[], { offset, length }: ByteRange): Generator<Row, void> {
  const end = offset + length
  let start = 0
  for (const [blob, size] of pieces) {
    const [first, last] = [Math.max(offset - start, 0), Math.min(end - start, size)]
    for (let at = first; at < last; at = (Math.floor(at / ROW_BYTES) + 1) * ROW_BYTES) {
      const position = Math.floor(at / ROW_BYTES)
      const base = position * ROW_BYTES
      yield { id: blob * MOST_ROWS + position, from: at - base, to: Math.min(last - base, ROW_BYTES) }
    }
    start += size
    if (start >= end) return
  }
}

async function* inRows(body: Body): AsyncGenerator<Uint8Array, void> {
  if (body instanceof Uint8Array) {
    for (let at = 0; at < body.length; at += ROW_BYTES) yield body.subarray(at, at + ROW_BYTES)
    return
  }
  const reader = body.getReader({ mode: 'byob' })
  for (;;) {
    const { value, done } = await reader.readAtLeast(ROW_BYTES, new Uint8Array(ROW_BYTES))
    if (value && value.length > 0) yield value
    if (done) return
  }
}
