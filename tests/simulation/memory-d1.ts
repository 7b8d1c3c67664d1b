import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

/** Stands between a caller and a storage operation: it may fail before or after it, or wait. */
export type Around = <T>(name: string, effect: () => T) => Promise<T>

/**
 * D1 on SQLite in memory, in this process: the same SQL on the same engine, with D1's batches and the beginnings of
 * its error messages. A thousand fresh databases cost nothing, since one is emptied for each.
 */
export class MemoryD1 {
  readonly #db = new DatabaseSync(':memory:')
  readonly #statements = new Map<string, StatementSync>()
  readonly #tables: string[]
  around: Around = async (_, effect) => effect()

  constructor() {
    for (const file of readdirSync('d1-migrations').sort()) {
      if (file.endsWith('.sql')) this.#db.exec(readFileSync(`d1-migrations/${file}`, 'utf8'))
    }
    const rows = this.#db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    this.#tables = rows.all().map(({ name }) => String(name))
  }

  /** Empties every table. */
  reset(): void {
    this.#db.exec('PRAGMA foreign_keys = OFF')
    for (const table of this.#tables) this.#db.exec(`DELETE FROM ${table}`)
    this.#db.exec('PRAGMA foreign_keys = ON')
  }

  /** Rows, without any fault: for setting up and for checking. */
  rows(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    return this.#statement(sql).all(...values)
  }

  /** The database as the Worker's code takes it. */
  binding(): D1Database {
    const prepare = (sql: string): Prepared => new Prepared(this, sql, [])
    const batch = (statements: Prepared[]) =>
      this.around('D1 batch', () => {
        this.#db.exec('BEGIN')
        try {
          const results = statements.map((statement) => this.execute(statement))
          this.#db.exec('COMMIT')
          return results
        } catch (error) {
          this.#db.exec('ROLLBACK')
          throw error
        }
      })
    return { prepare, batch } as unknown as D1Database
  }

  execute({ sql, values }: Prepared): { results: Record<string, unknown>[]; meta: { changes: number } } {
    const statement = this.#statement(sql)
    try {
      if (statement.columns().length > 0) return { results: statement.all(...values), meta: { changes: 0 } }
      return { results: [], meta: { changes: Number(statement.run(...values).changes) } }
    } catch (error) {
      throw new Error(`D1_ERROR: ${error instanceof Error ? error.message : error}`, { cause: error })
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

class Prepared {
  readonly d1: MemoryD1
  readonly sql: string
  readonly values: SQLInputValue[]

  constructor(d1: MemoryD1, sql: string, values: SQLInputValue[]) {
    this.d1 = d1
    this.sql = sql
    this.values = values
  }

  bind(...values: SQLInputValue[]): Prepared {
    if (values.length > 100) throw new Error('D1_ERROR: too many SQL variables')
    return new Prepared(this.d1, this.sql, values)
  }

  all() {
    return this.d1.around(`D1 ${this.sql.slice(0, 60)}`, () => this.d1.execute(this))
  }

  run() {
    return this.all()
  }

  async first() {
    return (await this.all()).results[0] ?? null
  }
}
