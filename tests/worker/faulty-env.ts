import { env } from 'cloudflare:workers'
import type { Env } from '../../worker/platform/bindings.ts'

/** Thrown by a `faultyEnv`, as if the storage had gone away, in the words of D1. */
class InjectedFault extends Error {
  override name = 'InjectedFault'
}

/** Where a fault strikes: at the nth call of D1 or R2, before it was done or when only its answer was lost. */
export interface FaultPoint {
  call: number
  when: 'before' | 'after'
}

/** The tests' environment, whose D1 and R2 fail once, at `point`. `calls` counts them. */
export function faultyEnv(point: FaultPoint | undefined): { env: Env; calls: () => number } {
  let calls = 0
  async function strike<T>(work: () => Promise<T>): Promise<T> {
    const strikes = point?.call === calls++
    if (strikes && point.when === 'before')
      throw new InjectedFault('D1_ERROR: Network connection lost before the call.')
    const result = await work()
    if (strikes) throw new InjectedFault('D1_ERROR: Network connection lost after the call.')
    return result
  }

  const statements = new WeakMap<object, D1PreparedStatement>()
  function wrapStatement(statement: D1PreparedStatement): D1PreparedStatement {
    const wrapped = new Proxy(statement, {
      get(target, property) {
        if (property === 'bind') return (...values: unknown[]) => wrapStatement(target.bind(...values))
        return striking(target, property)
      },
    })
    statements.set(wrapped, statement)
    return wrapped
  }
  function striking(target: object, property: string | symbol): unknown {
    const member: unknown = Reflect.get(target, property, target)
    if (typeof member !== 'function') return member
    return (...values: unknown[]) => strike(async () => await Reflect.apply(member, target, values))
  }

  const database = new Proxy(env.DB, {
    get(target, property) {
      if (property === 'prepare') return (sql: string) => wrapStatement(target.prepare(sql))
      if (property !== 'batch') return striking(target, property)
      return (batch: D1PreparedStatement[]) =>
        strike(() => target.batch(batch.map((statement) => statements.get(statement) ?? statement)))
    },
  })
  const bucket = new Proxy(env.BUCKET, { get: (target, property) => striking(target, property) })
  return { env: { ...env, DB: database, BUCKET: bucket }, calls: () => calls }
}

/**
 * Does `work` with a fault at every call of D1 and R2 that it makes, before and after, one at a time; each time a
 * new `setUp` goes before and `check` after. `work` gets nothing done by itself past the fault: repeat it in `check`.
 */
export async function atEveryFault<T>(
  setUp: () => Promise<T>,
  work: (env: Env, subject: T) => Promise<unknown>,
  check: (subject: T, point: FaultPoint) => Promise<void>,
): Promise<number> {
  let points = 0
  for (const when of ['before', 'after'] as const) {
    for (let call = 0; ; call++) {
      const subject = await setUp()
      const faulty = faultyEnv({ call, when })
      const error = await work(faulty.env, subject).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (faulty.calls() <= call) break
      points++
      if (error !== undefined && !(error instanceof InjectedFault)) throw error
      await check(subject, { call, when })
    }
  }
  return points
}
