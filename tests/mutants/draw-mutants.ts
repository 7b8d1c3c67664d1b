import { Random } from '../simulation/random.ts'
import type { Mutation, Operator } from './mutation.ts'

/**
 * Mutations in the order in which a seed draws them: the operator first, each as likely as the other, then a place for
 * it; no place twice, until there is none left.
 */
export function* drawMutants<M extends Mutation>(
  all: readonly M[],
  seed: number,
  operators: readonly Operator[],
): Generator<M> {
  const random = new Random(seed)
  const left = new Map(operators.map((operator) => [operator, all.filter((one) => one.operator === operator)]))
  for (;;) {
    const open = [...left].filter(([, places]) => places.length > 0)
    const [, places] = random.pick(open) ?? []
    if (!places) return
    const [mutation] = places.splice(random.integer(0, places.length - 1), 1)
    if (mutation) yield mutation
  }
}
