import { ChainAgent } from '../../../worker/agent/chain-agent.ts'
import { readConfig } from '../../../worker/platform/config/read-config.ts'
import { mayRepeat, noteEffect } from '../effects.ts'
import type { Model, World } from '../world.ts'

/**
 * The Durable Object of the chain, the real class, with the platform's side of it: one alarm at a time, which is late or
 * never comes, and a memory that goes whenever the object is moved.
 */
class AgentObject {
  readonly #world: World
  #alarmAt: number | null = null
  #object: ChainAgent
  /** Alarms that ran. */
  #runs = 0
  /** What goes on after an alarm: the platform waits for it. */
  #after: Promise<unknown>[] = []

  constructor(world: World) {
    this.#world = world
    this.#object = this.#start((work) => this.#after.push(work))
  }

  #start(waitUntil: (work: Promise<unknown>) => void): ChainAgent {
    const { blockchain, variables, config, d1, r2, stored } = this.#world
    const env = { ...variables, DB: d1, BUCKET: r2 }
    // No setting says what `limits` of a model do.
    Object.assign(readConfig(env), { feeCeilingPercent: config.feeCeilingPercent })
    const values = {
      get: async (key: string) => stored.get(key),
      put: async (key: string, value: unknown) => void stored.set(key, value),
    }
    let last: Promise<unknown> = Promise.resolve()
    const storage = {
      ...values,
      /** One after the other, as the platform has them. */
      transaction: (work: (transaction: typeof values) => Promise<void>) => {
        last = last.then(() => work(values))
        return last
      },
      getAlarm: async () => this.#alarmAt,
      setAlarm: async (time: number) => {
        noteEffect(this.#world, [`alarm at ${time}`])
        this.#alarmAt = time
      },
    }
    return Reflect.construct(ChainAgent, [{ id: { name: blockchain }, storage, waitUntil }, env])
  }

  /** Somebody, or the watchdog, wakes the object. */
  async wake(): Promise<void> {
    mayRepeat(this.#world)
    const [before, runs] = [this.#alarmAt, this.#runs]
    await this.#object.wake()
    // Its turn came meanwhile.
    if (runs !== this.#runs) return
    const now = this.#world.serviceNow()
    const isNear = (at: number | null) => at !== null && at >= now && at <= now + 2_000
    if (!isNear(this.#alarmAt)) this.#world.problems.push(`woken at ${now}, and looks at ${this.#alarmAt}`)
    if (isNear(before) && before !== this.#alarmAt) this.#world.problems.push(`the look at ${before} was put off`)
  }

  /** The platform's turn: a due alarm runs, unless it is lost or late. */
  async run(): Promise<void> {
    const { random, serviceNow } = this.#world
    const faulty = this.#world.stage.faultRate > 0
    if (this.#alarmAt === null || this.#alarmAt > serviceNow()) return
    if (faulty && random.chance(0.15)) {
      this.#world.stage.log.push('an alarm is lost')
      // Overdue for ever, as one that the platform has given up.
      return
    }
    if (faulty && random.chance(0.15)) {
      this.#world.stage.log.push('an alarm is late')
      this.#world.now += random.integer(1_000, 300_000)
    }
    if (faulty && random.chance(0.2)) this.#object = this.#start((work) => this.#after.push(work))
    this.#alarmAt = null
    this.#runs++
    this.#after = []
    mayRepeat(this.#world)
    await this.#object.alarm()
    await Promise.all(this.#after)
  }

  /** One that the platform has not ended yet while its successor works. */
  async runAnother(): Promise<void> {
    // An alarm of the successor is not at the time that was noted before.
    this.#runs++
    mayRepeat(this.#world)
    const after: Promise<unknown>[] = []
    await this.#start((work) => after.push(work)).alarm()
    await Promise.all(after)
  }
}

/** With this model a seed runs the Durable Object instead of bare steps. */
export const agentObject: Model = {
  begin(world) {
    world.agent = new AgentObject(world)
  },
  happen() {},
}
