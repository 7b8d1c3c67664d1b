import type { Blockchain } from '../../protocol/chains.ts'
import { type Entry, readMoves } from './check-moves.ts'
import type { World } from './world.ts'

/** The statement with which a step of the agent ends; its third value is the block that it ended at. */
const STEP_ENDED = 'INSERT INTO chain_states (blockchain, stepped_at, tip_hash'

/** Notes from now on who moves money, and asks what has to be true where a step has ended. */
export function watchDatabase(world: World): void {
  /** Tasks that wrote to the ledger in one run of the stage. */
  const movers = { run: 0, tasks: new Set<object | undefined>() }
  world.d1.onExecuted = (sql, values) => {
    const { runs, task } = world.stage
    if (task && !world.restoresBefore.has(task)) world.restoresBefore.set(task, world.restores)
    if (movers.run !== runs) {
      movers.run = runs
      movers.tasks.clear()
    }
    const entries = readMoves(sql, values)
    if (entries) {
      movers.tasks.add(task)
      notePaidByKey(world, task, entries)
      world.moves.onMoved(String(values[0]), entries)
    }
    if (!sql.startsWith(STEP_ENDED) || world.overlapping) return
    // What another task moved while the step was at it made the step leave it to the next.
    const moved = [...movers.tasks].some((mover) => mover !== task)
    // What it had written down as failed may be lost with a restore since.
    if (!moved && !isRestoredSince(world)) world.problems.push(...world.onStepEnded(String(values[2])))
  }
}

/** Whether the database was restored since the task that runs now first used it. */
export function isRestoredSince({ stage, restores, restoresBefore }: World): boolean {
  const before = stage.task && restoresBefore.get(stage.task)
  return before !== undefined && before !== restores
}

/** The API key that a request of a user is made with, where that has one, as the task that runs now. */
export function useKey(
  world: World,
  userId: string,
): { id: string; spending: { [chain in Blockchain]?: bigint } } | undefined {
  const { random, keys, blockchain, stage } = world
  if (stage.task) world.keyOfTask.delete(stage.task)
  const [found] = [...keys].filter(([, key]) => key.userId === userId)
  if (!found || !stage.task || random.chance(0.3)) return undefined
  const [id, { limit }] = found
  world.keyOfTask.set(stage.task, id)
  return { id, spending: { [blockchain]: limit } }
}

function notePaidByKey(world: World, task: object | undefined, entries: readonly Entry[]): void {
  const key = task && world.keyOfTask.get(task)
  for (const { cause } of entries) {
    // What a key could not pay another task may.
    if (key === undefined) world.paidByKey.delete(cause)
    else world.paidByKey.set(cause, key)
  }
}
