import { DurableObject } from 'cloudflare:workers'
import { BLOCKCHAINS } from '../protocol/chains.ts'
import { type AgentContext, agentContext } from './agent/agent-context.ts'
import { runStep } from './agent/run-step.ts'
import type { Env } from './bindings.ts'
import { now } from './clock.ts'

/** Between two looks at the node while there is work, in milliseconds. */
const SOON = 1_000
const AFTER_FAILURE = 5_000
/** One alarm works so long before it hands over to the next; well within what an alarm may take. */
const SHIFT = 20_000

/**
 * One per chain: the only place that touches that chain's money and writes. D1 is the record, this object only the
 * queue of one: whatever it had in mind when it died, it finds again there.
 */
export class ChainAgent extends DurableObject<Env> {
  /** Looks for work soon: an alarm that is due earlier stays. */
  async wake(): Promise<void> {
    const due = await this.ctx.storage.getAlarm()
    if (due === null || due > now() + SOON) await this.ctx.storage.setAlarm(now())
  }

  override async alarm(): Promise<void> {
    // Not left to the platform: it gives up on an alarm that throws often.
    const delay = await this.#work().catch((error: unknown) => {
      console.error(`${this.ctx.id.name}: the step failed and is tried again`, error)
      return AFTER_FAILURE
    })
    if (delay !== undefined) await this.ctx.storage.setAlarm(now() + delay)
  }

  async #work(): Promise<number | undefined> {
    const context = this.#context()
    if (!context) return undefined
    const end = now() + SHIFT
    for (;;) {
      const next = await runStep({ ...context, now: now() })
      if (next === 'idle') return undefined
      if (next === 'soon' || now() >= end) return next === 'soon' ? SOON : 0
    }
  }

  #context(): Omit<AgentContext, 'now'> | undefined {
    const blockchain = BLOCKCHAINS.find((name) => name === this.ctx.id.name)
    if (!blockchain) return undefined
    return agentContext(this.env, blockchain)
  }
}
