import type { Asked } from '../kit/in-process/memory-d1.ts'
import { Repeats } from './repeats.ts'
import type { World } from './world.ts'

/** One effect of a task; what it does twice in a row without a reason is a problem. */
export async function runEffect<T>(
  world: World,
  name: string,
  error: (name: string) => Error,
  effect: () => T,
  asked: () => Asked,
): Promise<T> {
  const { faults } = world.stage
  try {
    const result = await world.stage.effect(name, error, effect)
    if (world.stage.faults > faults) mayRepeat(world)
    else noteEffect(world, asked())
    return result
  } catch (problem) {
    // What is refused now may have been done just before.
    if (world.stage.faults === faults) noteEffect(world, asked())
    mayRepeat(world)
    throw problem
  }
}

/** What the task that runs now has done; a problem where it did the same just before, and nothing had changed. */
export function noteEffect(world: World, what: Asked): void {
  const twice = world.stage.task && world.repeats.get(world.stage.task)?.note(what)
  if (twice !== undefined) world.problems.push(`done twice in a row: ${twice}`)
}

/** From here on the task that runs now may do again what it did: a step or a request begins, something failed, time passed. */
export function mayRepeat(world: World): void {
  // The object runs steps as it likes.
  if (world.stage.task) world.repeats.set(world.stage.task, new Repeats(world.agent && 'FROM chain_states'))
}
