import type { PaymentContext } from '../../worker/features/payments/payment-context.ts'
import { contextOf } from './agent-contexts.ts'
import { notedStep } from './noted-step.ts'

/** What a payment endpoint works with, and all that it asks of D1 and the node. */
export function noted(now = Date.now()) {
  const { context, calls } = notedStep(contextOf('Bitcoin', now))
  const { db, config, rpc } = context
  const payments: PaymentContext = { db, config, rpcOf: () => rpc, now }
  return { context: payments, calls }
}

/** What was asked twice in a row, be it one call or several, reads as well: each is a way there and back. */
export function askedTwice(calls: readonly string[]): string[] {
  for (let length = 1; 2 * length <= calls.length; length++) {
    for (let at = 0; at + 2 * length <= calls.length; at++) {
      const [first, second] = [calls.slice(at, at + length), calls.slice(at + length, at + 2 * length)]
      if (first.join() === second.join()) return first
    }
  }
  return []
}

/** The same with a database in which others are always faster: no batch that asserts anything is written. */
export function beaten(context: PaymentContext): PaymentContext {
  const db = new Proxy(context.db, {
    get: (target, name) => {
      if (name === 'batch') return async () => Promise.reject(new Error('D1_ERROR: CHECK constraint failed: holds'))
      return Reflect.get(target, name)
    },
  })
  return { ...context, db }
}
