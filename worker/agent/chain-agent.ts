import { DurableObject } from 'cloudflare:workers'
import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import { agentContext, type StepContext } from '../chain/follower/agent-context.ts'
import { upsertProblem } from '../chain/follower/chain-states.ts'
import { storedNumbers } from '../chain/follower/payout-numbers.ts'
import { hasWebhooks } from '../features/events/sql/webhooks.ts'
import type { ChainAgentRpc, Env } from '../platform/bindings.ts'
import { now } from '../platform/clock.ts'
import { countStatements } from '../platform/d1/count-statements.ts'
import { MAX_POLL_MS } from './next-poll-delay.ts'
import { runAlarm } from './run-alarm.ts'
import { waitForBlock } from './wait-for-block.ts'

/** Until the next alarm where a step has failed, in milliseconds. */
const AFTER_FAILURE = 5_000

/**
 * One per chain: the only place that touches that chain's money and writes. D1 is the record, this object only the
 * queue of one: no matter what it had in mind when it died, it finds again there.
 */
export class ChainAgent extends DurableObject<Env> implements ChainAgentRpc {
  /** The best block last seen, and since when it is: none yet, as one of long ago. */
  readonly #best = { hash: '', since: Number.NEGATIVE_INFINITY }
  #telling = false

  /** Looks for work soon. An alarm that is due by then stays; one that is overdue may have been lost. */
  async wake(): Promise<void> {
    const due = await this.ctx.storage.getAlarm()
    const time = now()
    if (due === null || due < time || due > time + MAX_POLL_MS) await this.ctx.storage.setAlarm(time)
  }

  /**
   * Stops payouts where the database turns out to have been restored to a moment before the last of them, or before a withdrawal ended.
   * Returns the number of payouts; `undefined` where they are in doubt.
   */
  async noticeRestore(): Promise<number | undefined> {
    const blockchain = this.#blockchain()
    const { DB: db, BUCKET: bucket } = this.env
    const { noticeRestore } = await import('../features/payouts/restore/notice-restore.ts')
    return blockchain && (await noticeRestore({ db, bucket, now: now() }, blockchain, storedNumbers(this.ctx.storage)))
  }

  /** What was told of a database that does not answer, which cannot say it itself. Returns whether something is to be told. */
  async markDatabaseAlert(act: 'claim' | 'release' | 'end'): Promise<boolean> {
    const { markDatabaseAlert } = await import('../features/operate/alerts/database-alert.ts')
    return await markDatabaseAlert(this.ctx.storage, act, now())
  }

  override async alarm(): Promise<void> {
    // Not left to the platform: it stops retrying an alarm that fails often.
    const delay = await this.#work().catch(async (error: unknown) => {
      console.error('step_failed', this.ctx.id.name, error)
      await this.#noteProblem(error)
      return AFTER_FAILURE
    })
    if (delay !== undefined) await this.ctx.storage.setAlarm(now() + delay)
    this.ctx.waitUntil(this.#tellWebhooks())
  }

  /** Notifies webhooks at once of the events of the steps; the cron job sends those that are left. */
  async #tellWebhooks(): Promise<void> {
    if (this.#telling) return
    this.#telling = true
    try {
      if (!(await hasWebhooks(this.env.DB))) return
      const { sendWebhooks, senderContext } = await import('../features/events/send-webhooks.ts')
      await sendWebhooks(senderContext(this.env, now))
    } catch (error) {
      console.error('webhooks_not_told', error)
    } finally {
      this.#telling = false
    }
  }

  async #work(): Promise<number | undefined> {
    const context = this.#context()
    if (!context) return undefined
    const { db, count } = countStatements(context.db)
    // What writes to a chain is a fifth of the Worker, and only this object needs it.
    const { runStep } = await import('./run-step.ts')
    return runAlarm(this.#best, {
      step: () => runStep({ ...context, db, now: now() }),
      wait: (tip, delay) => waitForBlock(context.rpc, tip, delay, (ms) => scheduler.wait(ms)),
      now,
      statements: count,
    })
  }

  /** Says in health why steps fail; a database that fails too is not waited for. */
  async #noteProblem(error: unknown): Promise<void> {
    const blockchain = this.#blockchain()
    const problem = error instanceof Error ? error.message : 'the step failed'
    if (!blockchain) return
    await upsertProblem(this.env.DB, blockchain, problem, now()).catch((cause: unknown) =>
      console.error('problem_not_noted', blockchain, cause),
    )
  }

  #blockchain(): Blockchain | undefined {
    return BLOCKCHAINS.find((name) => name === this.ctx.id.name)
  }

  #context(): Omit<StepContext, 'now'> | undefined {
    const blockchain = this.#blockchain()
    const context = blockchain && agentContext(this.env, blockchain)
    return context && { ...context, numbers: storedNumbers(this.ctx.storage) }
  }
}
