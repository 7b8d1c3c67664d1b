import type { AgentContext } from '../../worker/chain/follower/agent-context.ts'
import { Repeats } from '../simulation/repeats.ts'

/** Each address that the wallet gives is a new one, and yet asked for twice where one is needed. */
const NEW_ADDRESS = /(?<=^\[\{"method":"validateaddress","params":\[")\w+/

/**
 * A context of one step whose calls of D1, R2 and the node are noted, all of them, and what of them was done twice in a row
 * without a reason; reads of the own store may be alike. After a call that failed all may be done again.
 */
export function notedStep<T extends AgentContext>(context: T): { context: T; calls: string[]; twice: string[] } {
  let repeats = new Repeats()
  const calls: string[] = []
  const twice: string[] = []

  async function note<T>(what: string, work: () => Promise<T>): Promise<T> {
    const noteDone = () => {
      calls.push(what)
      const repeated = repeats.note([what.replace(NEW_ADDRESS, '*')])
      if (repeated !== undefined) twice.push(repeated)
    }
    try {
      const result = await work()
      noteDone()
      return result
    } catch (error) {
      // What is refused now may have been done just before.
      noteDone()
      repeats = new Repeats()
      throw error
    }
  }

  const known = new WeakMap<object, { statement: D1PreparedStatement; text: string }>()
  function notedStatement(
    statement: D1PreparedStatement,
    sql: string,
    values: readonly unknown[],
  ): D1PreparedStatement {
    const text = `${sql} ${JSON.stringify(values)}`
    const noted = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...bound: unknown[]) => notedStatement(target.bind(...bound), sql, bound)
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return async (...args: unknown[]) => await note(text, async () => await Reflect.apply(member, target, args))
      },
    })
    known.set(noted, { statement, text })
    return noted
  }

  const db = new Proxy(context.db, {
    get(target, name) {
      if (name === 'prepare') return (sql: string) => notedStatement(target.prepare(sql), sql, [])
      if (name !== 'batch') return Reflect.get(target, name, target)
      return async (batch: D1PreparedStatement[]) => {
        const statements = batch.map((one) => known.get(one) ?? { statement: one, text: '' })
        const text = statements.map((one) => one.text).join('; ')
        return await note(text, async () => await target.batch(statements.map(({ statement }) => statement)))
      }
    },
  })
  const bucket = new Proxy(context.bucket, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return async (key: unknown, ...args: unknown[]) =>
        await note(
          `R2 ${String(name)} ${JSON.stringify(key)}`,
          async () => await Reflect.apply(member, target, [key, ...args]),
        )
    },
  })
  const rpc: AgentContext['rpc'] = async (batch) => {
    // A batch without calls asks nobody.
    if (batch.length === 0) return []
    return await note(JSON.stringify(batch), async () => await context.rpc(batch))
  }
  return { context: { ...context, db, bucket, rpc }, calls, twice }
}
