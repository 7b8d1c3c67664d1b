import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { checkInvocation, checkResult, checkStatement } from '../../../worker/platform/d1/d1-limits.ts'

/**
 * Stands between a caller and a storage operation: it may fail before or after it, or wait. `asked` writes out what is
 * asked for, with all its values.
 */
export type Around = <T>(name: string, effect: () => T, asked: () => string) => Promise<T>

/**
 * D1 on SQLite, in memory and in this process: the same SQL on the same engine, with D1's batches and the beginnings of
 * its error messages and its documented limits. A thousand fresh databases cost nothing, since one is emptied for each.
 */
export class MemoryD1 implements D1Database {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, Known>()
  #moments = 0
  around: Around = async (_, effect) => effect()
  /** What runs now, a request or an alarm: its statements are counted together. `undefined` counts none. */
  invocation: () => object | undefined = () => undefined
  readonly #counts = new WeakMap<object, number>()
  /** Told of each statement that was run by the service, with what was bound to it. */
  onExecuted: (sql: string, values: readonly SQLInputValue[]) => void = () => {}

  /** @param path of a file that does not exist yet, for what has no room in memory */
  constructor(path = ':memory:') {
    this.#db = new DatabaseSync(path)
    for (const file of readdirSync('d1-migrations').sort()) {
      if (file.endsWith('.sql')) this.#db.exec(readFileSync(`d1-migrations/${file}`, 'utf8'))
    }
  }

  /** Takes back everything that was written since the last time: no table is left out, and no statement is prepared anew. */
  reset(): void {
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
    this.#db.exec('BEGIN')
  }

  /** Notes this moment for {@link restore}, until the next reset; not within a batch. */
  noteMoment(): number {
    this.#db.exec(`SAVEPOINT moment_${++this.#moments}`)
    return this.#moments
  }

  /** Takes back everything that was written since a moment that was noted, and the later moments, as D1's Time Travel does. */
  restore(moment: number): void {
    this.#db.exec(`ROLLBACK TO moment_${moment}`)
  }

  close(): void {
    this.#db.close()
  }

  /** Rows, without any fault: for setting up and for checking. */
  rows(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    return this.#statement(sql).statement.all(...values)
  }

  prepare(sql: string): D1PreparedStatement {
    return new Prepared(this, sql, [])
  }

  // Here as in `Prepared`, what a row is the caller says, as with D1 itself: nothing looks after it.
  batch<T = unknown>(statements: D1PreparedStatement[]): Promise<D1Result<T>[]>
  async batch(statements: D1PreparedStatement[]): Promise<D1Result[]> {
    this.#count(statements.length)
    return await this.around(
      'D1 batch',
      () => {
        this.#db.exec('SAVEPOINT batch')
        try {
          const results = statements.map((statement) => this.execute(statement))
          this.#db.exec('RELEASE batch')
          return results
        } catch (error) {
          this.#db.exec('ROLLBACK TO batch')
          this.#db.exec('RELEASE batch')
          throw error
        }
      },
      () => statements.map(writeOut).join('; '),
    )
  }

  /** @throws {Error} as D1 where an invocation asks too often. */
  #count(more: number): void {
    const invocation = this.invocation()
    if (!invocation) return
    const before = this.#counts.get(invocation) ?? 0
    refuse(checkInvocation(before, more))
    this.#counts.set(invocation, before + more)
  }

  /** Runs one statement as its caller's only one. */
  async run(prepared: D1PreparedStatement, name: string): Promise<D1Result<Record<string, unknown>>> {
    this.#count(1)
    return await this.around(
      name,
      () => this.execute(prepared),
      () => writeOut(prepared),
    )
  }

  exec(): never {
    throw new Error('The simulation has no D1 exec')
  }

  withSession(): never {
    throw new Error('The simulation has no D1 sessions')
  }

  dump(): never {
    throw new Error('The simulation has no D1 dump')
  }

  /** Does what a statement says, without any fault. */
  execute(prepared: D1PreparedStatement): D1Result<Record<string, unknown>> {
    if (!(prepared instanceof Prepared)) throw new Error('This statement is of another database')
    const { sql, values } = prepared
    refuse(checkStatement({ sql, values }))
    const result = this.#run(...withLimit(sql, values))
    this.onExecuted(sql, values)
    return result
  }

  #run(sql: string, values: readonly SQLInputValue[]): D1Result<Record<string, unknown>> {
    const { statement, reads } = this.#statement(sql)
    try {
      if (reads) {
        const rows = statement.all(...values)
        refuse(checkResult(rows))
        return resultOf(rows, 0)
      }
      return resultOf([], Number(statement.run(...values).changes))
    } catch (error) {
      if (error instanceof D1Refusal) throw error
      throw new Error(`D1_ERROR: ${error instanceof Error ? error.message : error}`, { cause: error })
    }
  }

  #statement(sql: string): Known {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#db.prepare(sql)
    const made = { statement, reads: statement.columns().length > 0 }
    this.#statements.set(sql, made)
    return made
  }
}

/** A statement that is prepared; `reads` where it gives rows back. */
interface Known {
  statement: StatementSync
  reads: boolean
}

const BOUND_LIMIT = /\bLIMIT \?(\d*)\s*$/

/** SQLite plans a statement anew whenever its LIMIT is bound, which takes ten times as long as running it: the number is written into it. */
function withLimit(sql: string, values: SQLInputValue[]): [string, SQLInputValue[]] {
  const found = BOUND_LIMIT.exec(sql)
  const limit = values.at(-1)
  const isLast = found && (found[1] === '' || Number(found[1]) === values.length)
  if (!isLast || !Number.isInteger(limit)) return [sql, values]
  return [`${sql.slice(0, found.index)}LIMIT ${limit}`, values.slice(0, -1)]
}

/** What D1's limits do not allow. */
class D1Refusal extends Error {}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new D1Refusal(`D1_ERROR: ${problem}`)
}

function resultOf(results: Record<string, unknown>[], changes: number): D1Result<Record<string, unknown>> {
  const meta = { duration: 0, size_after: 0, rows_read: 0, rows_written: 0, last_row_id: 0, changed_db: changes > 0 }
  return { success: true, results, meta: { ...meta, changes } }
}

function writeOut(prepared: D1PreparedStatement): string {
  return prepared instanceof Prepared ? `${prepared.sql} ${JSON.stringify(prepared.values)}` : ''
}

class Prepared implements D1PreparedStatement {
  readonly d1: MemoryD1
  readonly sql: string
  readonly values: SQLInputValue[]

  constructor(d1: MemoryD1, sql: string, values: SQLInputValue[]) {
    this.d1 = d1
    this.sql = sql
    this.values = values
  }

  bind(...values: unknown[]): Prepared {
    return new Prepared(this.d1, this.sql, values.map(toInput))
  }

  all<T = Record<string, unknown>>(): Promise<D1Result<T>>
  async all(): Promise<D1Result> {
    return await this.d1.run(this, `D1 ${this.sql.slice(0, 60)}`)
  }

  run<T = Record<string, unknown>>(): Promise<D1Result<T>> {
    return this.all()
  }

  async first<T = Record<string, unknown>>(column?: string): Promise<T | null> {
    if (column !== undefined) throw new Error('The simulation has no single columns')
    return (await this.all<T>()).results[0] ?? null
  }

  raw(): never {
    throw new Error('The simulation has no raw rows')
  }
}

/** Other values D1 refuses too. */
function toInput(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new Error(`D1_TYPE_ERROR: Type '${typeof value}' not supported`)
}
