import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { checkInvocation, checkResult, checkStatement } from './d1-limits.ts'

/** A storage operation or a call of a node, in parts that are the same where the same is done again: a statement's text and its values. */
export type Asked = readonly unknown[]

/** Stands between a caller and a storage operation: it may fail before or after it, or wait. */
export type Around = <T>(name: string, effect: () => T, asked: () => Asked) => Promise<T>

/**
 * D1 on SQLite, in memory and in this process: the same SQL on the same engine, with D1's batches and the beginnings of
 * its error messages and its documented limits. A thousand fresh databases cost nothing, since one is emptied for each.
 */
export class MemoryD1 implements D1Database {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, Known>()
  readonly #limits = new Map<string, BoundLimit | null>()
  readonly #savepoint: StatementSync
  readonly #release: StatementSync
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
    this.#savepoint = this.#db.prepare('SAVEPOINT batch')
    this.#release = this.#db.prepare('RELEASE batch')
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
    return readRows(this.#statement(sql), values)
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
        this.#savepoint.run()
        try {
          const results = statements.map((statement) => this.execute(statement))
          this.#release.run()
          return results
        } catch (error) {
          this.#db.exec('ROLLBACK TO batch')
          this.#release.run()
          throw error
        }
      },
      () => statements.flatMap(partsOf),
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
      () => partsOf(prepared),
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
    const result = this.#run(...this.#writeLimit(sql, values))
    this.onExecuted(sql, values)
    return result
  }

  #run(sql: string, values: readonly SQLInputValue[]): D1Result<Record<string, unknown>> {
    const known = this.#statement(sql)
    try {
      if (known.columns.length > 0) {
        const rows = readRows(known, values)
        refuse(checkResult(rows))
        return resultOf(rows, 0)
      }
      return resultOf([], Number(known.statement.run(...values).changes))
    } catch (error) {
      if (error instanceof D1Refusal) throw error
      throw new Error(`D1_ERROR: ${error instanceof Error ? error.message : error}`, { cause: error })
    }
  }

  /** SQLite plans a statement anew whenever its LIMIT is bound, which takes ten times as long as running it: the number is written into it. */
  #writeLimit(sql: string, values: SQLInputValue[]): [string, SQLInputValue[]] {
    let limit = this.#limits.get(sql)
    if (limit === undefined) {
      limit = findBoundLimit(sql) ?? null
      this.#limits.set(sql, limit)
    }
    const number = limit === null ? undefined : values[limit.at]
    if (limit === null || !Number.isInteger(number)) return [sql, values]
    return [`${limit.before}${number}${limit.after}`, limit.isLast ? values.slice(0, -1) : values]
  }

  #statement(sql: string): Known {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#db.prepare(sql)
    statement.setReturnArrays(true)
    const columns = statement.columns().map(({ name }) => name)
    const made = { statement, columns, empty: Object.fromEntries(columns.map((name) => [name, null])) }
    this.#statements.set(sql, made)
    return made
  }
}

/** A statement that is prepared, the names of its columns, if it returns rows, and a row without values. */
interface Known {
  statement: StatementSync
  columns: readonly string[]
  empty: Record<string, unknown>
}

/** The rows of a statement, as copies of one object: the engine makes objects without a shape, which are slow to make and to read. */
function readRows({ statement, columns, empty }: Known, values: readonly SQLInputValue[]): Record<string, unknown>[] {
  return statement.all(...values).map((cells) => {
    const row = { ...empty }
    for (const [index, name] of columns.entries()) row[name] = cells[index]
    return row
  })
}

/** The last LIMIT of a statement that is bound to a value: the text before and behind it, and the place of its value. */
interface BoundLimit {
  before: string
  after: string
  at: number
  /** Whether it is the last value, and bound to nothing else. */
  isLast: boolean
}

const BOUND_LIMIT = /^([\s\S]*\bLIMIT )\?(\d*)(?!\d)([\s\S]*)$/

function findBoundLimit(sql: string): BoundLimit | undefined {
  const [, before, number, after] = BOUND_LIMIT.exec(sql) ?? []
  if (before === undefined || number === undefined || after === undefined) return undefined
  const others = [...`${before} ${after}`.matchAll(/\?(\d*)/g)].map(([, other]) => other)
  if (number !== '') {
    const isLast = others.every((other) => Number(other) < Number(number))
    return { before, after, at: Number(number) - 1, isLast }
  }
  // Values without numbers count from the first on.
  return after.includes('?') ? undefined : { before, after, at: others.length, isLast: true }
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

function partsOf(prepared: D1PreparedStatement): unknown[] {
  return prepared instanceof Prepared ? [prepared.sql, ...prepared.values] : []
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
  all(): Promise<D1Result> {
    return this.d1.run(this, `D1 ${this.sql.slice(0, 60)}`)
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
