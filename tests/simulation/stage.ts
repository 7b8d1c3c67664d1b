import { AsyncLocalStorage } from 'node:async_hooks'
import type { Random } from './random.ts'

/** One run of the service's code: a request, or an alarm. */
interface Task {
  dead: boolean
}

const current = new AsyncLocalStorage<Task>()

/** One of its own each time: a promise keeps all that ever waited for it. */
const neverAnswered = () => new Promise<never>(() => {})

/**
 * Runs tasks so that a seed decides everything: in which order their effects happen when several run at once, which
 * effects fail before or after they happened, and where a task dies for good.
 */
export class Stage {
  /** Chance that an effect meets a fault. */
  faultRate = 0
  /** Chance that the world moves on while a task waits. */
  eventRate = 0
  /** Something happens to the chain. */
  onEvent: () => void = () => {}
  faults = 0
  /** How often tasks were run. */
  runs = 0
  readonly log: string[] = []
  readonly #random: Random
  #live = 0
  #parked: (() => void)[] = []

  constructor(random: Random) {
    this.#random = random
  }

  /** The task that runs now: one invocation of the service. */
  get task(): object | undefined {
    return current.getStore()
  }

  /** One effect of a task: parks while other tasks run, then happens, fails, or both. */
  async effect<T>(name: string, error: (name: string) => Error, effect: () => T): Promise<T> {
    const task = current.getStore()
    if (this.#live > 1) await new Promise<void>((resolve) => this.#parked.push(resolve))
    // As a process that was killed: nobody ever hears of it again.
    if (task?.dead) return await neverAnswered()
    if (this.#random.chance(this.eventRate)) this.onEvent()
    if (!this.#random.chance(this.faultRate)) return effect()
    this.faults++
    const kind = this.#random.integer(0, 3)
    this.log.push(`fault ${['before', 'after', 'death before', 'death after'][kind]}: ${name}`)
    if (kind === 1 || kind === 3) effect()
    if (kind < 2 || !task) throw error(name)
    task.dead = true
    this.#live--
    return await neverAnswered()
  }

  /** Runs the tasks to their ends, or deaths; what they throw is theirs to catch. */
  async run(tasks: readonly (() => Promise<void>)[]): Promise<void> {
    this.runs++
    this.#live = tasks.length
    let uncaught: unknown
    for (const work of tasks) {
      const task: Task = { dead: false }
      const end = (error?: unknown): void => {
        uncaught ??= error
        if (!task.dead) this.#live--
      }
      current.run(task, work).then(() => end(), end)
    }
    while (this.#live > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      // Only when all wait: what is under way outside of this process ends in its own time.
      if (this.#parked.length > 0 && this.#parked.length >= this.#live) {
        const [chosen] = this.#parked.splice(this.#random.integer(0, this.#parked.length - 1), 1)
        chosen?.()
      }
    }
    this.#parked = []
    if (uncaught !== undefined) throw uncaught
  }
}
