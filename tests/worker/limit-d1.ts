import { env } from 'cloudflare:test'
import { checkResult, checkStatement } from '../kit/in-process/d1-limits.ts'

/** Statements by what D1 was given for them, since a statement does not tell. */
const texts = new WeakMap<object, { sql: string; values: readonly unknown[] }>()

/** Replaces a method of a class for every object of it, in the Worker and its Durable Objects alike. */
function wrap(prototype: object, name: string, make: (original: (...args: unknown[]) => unknown) => unknown): void {
  const original: unknown = Reflect.get(prototype, name)
  if (typeof original !== 'function') throw new Error(`D1 has no method ${name} to hold to its limits`)
  const value = make((...args) => Reflect.apply(original, args.shift(), args))
  Object.defineProperty(prototype, name, { value, configurable: true, writable: true })
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new Error(`D1_ERROR: ${problem}`)
}

function checkRows(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('results' in result)) return result
  if (Array.isArray(result.results)) refuse(checkResult(result.results))
  return result
}

function checkBound(statement: unknown): void {
  const bound = typeof statement === 'object' && statement !== null ? texts.get(statement) : undefined
  if (bound) refuse(checkStatement(bound))
}

/**
 * Holds the D1 of the tests to the limits that only production enforces, so that what it would refuse fails here.
 * Statements of one invocation are counted by the simulation alone.
 */
export function limitD1(): void {
  const database: object = Object.getPrototypeOf(env.DB)
  const statement: object = Object.getPrototypeOf(env.DB.prepare('SELECT 1'))
  if (Reflect.has(database, 'limited')) return
  Object.defineProperty(database, 'limited', { value: true })
  wrap(
    database,
    'prepare',
    (prepare) =>
      function (this: unknown, sql: string): unknown {
        const made = prepare(this, sql)
        if (typeof made === 'object' && made !== null) texts.set(made, { sql, values: [] })
        return made
      },
  )
  wrap(
    statement,
    'bind',
    (bind) =>
      function (this: object, ...values: unknown[]): unknown {
        const made = bind(this, ...values)
        if (typeof made === 'object' && made !== null) texts.set(made, { sql: texts.get(this)?.sql ?? '', values })
        return made
      },
  )
  for (const name of ['all', 'run', 'first', 'raw']) {
    wrap(
      statement,
      name,
      (run) =>
        async function (this: object, ...args: unknown[]): Promise<unknown> {
          checkBound(this)
          return checkRows(await run(this, ...args))
        },
    )
  }
  wrap(
    database,
    'batch',
    (batch) =>
      async function (this: unknown, statements: unknown[]): Promise<unknown> {
        statements.forEach(checkBound)
        const results = await batch(this, statements)
        if (Array.isArray(results)) results.forEach(checkRows)
        return results
      },
  )
}
