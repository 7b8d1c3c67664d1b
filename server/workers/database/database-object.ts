// After Miniflare's D1 (MIT, ../../LICENSE-miniflare).
import { DurableObject } from 'cloudflare:workers'
import * as v from 'valibot'
import { FIXED_LIMITS } from '../../../worker/platform/config/fixed-limits.ts'
import type { BucketState } from '../bucket/bucket-worker.ts'
import { isDiskFull, isNotedFull, noteFailure } from '../disk-room.ts'
import { KeptMeasure } from './kept-measure.ts'

const Query = v.object({
  sql: v.string(),
  /** Lists are bytes. */
  params: v.nullish(v.array(v.union([v.number(), v.string(), v.null(), v.array(v.number())]))),
})
const Queries = v.union([v.array(Query), Query])

type Query = v.InferOutput<typeof Query>
type Cell = number | string | null | number[]

/** What the runtime's D1 binding reads of a statement. */
export interface StatementResult {
  success: true
  results: { columns: string[]; rows: Cell[][] } | Record<string, Cell>[]
  meta: Record<string, unknown>
}

export interface DatabaseEnv {
  BUCKET: { state(): Promise<BucketState> }
  /** The folder of the data. */
  DISK: Fetcher
  /** What the data may take in bytes; empty: no limit. */
  DISK_BYTES: string
}

/** The database: the statements of a request are one transaction. */
export class Database extends DurableObject<DatabaseEnv> {
  readonly #bucket = new KeptMeasure<BucketState>(
    { bytes: 0, isFull: false },
    async () => {
      await isDiskFull(this.env.DISK)
      return await this.env.BUCKET.state()
    },
    (error) => console.error('bucket_not_measured', error),
  )

  override async fetch(request: Request): Promise<Response> {
    await this.#bucket.refresh(Date.now)
    const asked = v.parse(Queries, await request.json())
    const form = new URL(request.url).searchParams.get('resultsFormat')
    try {
      return Response.json(this.run(Array.isArray(asked) ? asked : [asked], form === 'ROWS_AND_COLUMNS'))
    } catch (error) {
      noteFailure(error)
      return Response.json({ success: false, error: error instanceof Error ? error.message : String(error) })
    }
  }

  /** Runs statements in one transaction. @throws {Error} of the first that fails. */
  run(queries: readonly Query[], asRows: boolean): StatementResult[] {
    if (queries.length === 0) throw new Error('No SQL statements detected.')
    return this.ctx.storage.transactionSync(() => queries.map((query) => this.#run(query, asRows)))
  }

  /**
   * What the main Worker takes for the size of its database, which it holds against a limit of D1: new items are refused
   * and an operator is told by the share of the disk that is used, where that is the greater one. From a write that found
   * the disk full until there is room again all of it is.
   */
  #reportedSize(): number {
    const { databaseSize } = this.ctx.storage.sql
    const { bytes, isFull } = this.#bucket.value
    if (isFull || isNotedFull()) return Math.max(databaseSize, FIXED_LIMITS.databaseBytes)
    if (this.env.DISK_BYTES === '') return databaseSize
    const share = (databaseSize + bytes) / Number(this.env.DISK_BYTES)
    return Math.max(databaseSize, Math.round(share * FIXED_LIMITS.databaseBytes))
  }

  #run({ sql, params }: Query, asRows: boolean): StatementResult {
    const { sql: database } = this.ctx.storage
    const [sizeBefore, before, started] = [database.databaseSize, this.#changes(), performance.now()]
    const values = (params ?? []).map((value) => (Array.isArray(value) ? Uint8Array.from(value).buffer : value))
    const cursor = database.exec(sql, ...values)
    const { columnNames: columns } = cursor
    const rows = Array.from(cursor.raw(), (row) => row.map(toCell))
    const duration = performance.now() - started
    const [size, after] = [database.databaseSize, this.#changes()]
    const changes = after.total - before.total
    return {
      success: true,
      results: asRows ? { columns, rows } : rows.map((row) => toRecord(columns, row)),
      meta: {
        served_by: 'hookline-server',
        served_by_primary: true,
        total_attempts: 1,
        timings: { sql_duration_ms: duration },
        duration,
        changes,
        last_row_id: after.last,
        changed_db: changes !== 0 || after.last !== before.last || size !== sizeBefore,
        size_after: this.#reportedSize(),
        rows_read: cursor.rowsRead,
        rows_written: cursor.rowsWritten,
      },
    }
  }

  #changes(): { total: number; last: number } {
    return this.ctx.storage.sql
      .exec<{ total: number; last: number }>('SELECT total_changes() AS total, last_insert_rowid() AS last')
      .one()
  }
}

function toCell(value: SqlStorageValue): Cell {
  return value instanceof ArrayBuffer ? Array.from(new Uint8Array(value)) : value
}

function toRecord(columns: readonly string[], row: readonly Cell[]): Record<string, Cell> {
  return Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null]))
}
