import type { BlockPosition } from '../chain/follower/blocks.ts'
import { MAX_POLL_MS, nextPollDelay } from './next-poll-delay.ts'
import type { StepReport } from './run-step.ts'

/** One alarm works so long before it hands over to the next, in milliseconds; well within what an alarm may take. */
const ALARM_BUDGET_MS = 20_000

/** Statements after which the next alarm goes on: a step takes a few hundred at most, and D1 allows an alarm 1,000. */
const STATEMENTS = 150

/** What one alarm works with. */
export interface AlarmTools {
  /** One step of the agent. */
  step(): Promise<StepReport>
  /** Waits for the next look, `delay` milliseconds or less. */
  wait(tip: BlockPosition | undefined, delay: number): Promise<void>
  /** Milliseconds. */
  now(): number
  /** Statements that steps have made since the shift began. */
  statements(): number
}

/**
 * Works step after step for as long as one alarm may, and says in how many milliseconds the next alarm is to go on;
 * `undefined` where nothing waits. `best` is the best block last seen, and since when it is: it outlives the shift.
 */
export async function runAlarm(
  best: { hash: string; since: number },
  { step, wait, now, statements }: AlarmTools,
): Promise<number | undefined> {
  const end = now() + ALARM_BUDGET_MS
  for (;;) {
    const { next, tip } = await step()
    if (tip && tip.hash !== best.hash) {
      best.hash = tip.hash
      best.since = now()
    }
    if (next === 'idle') return undefined
    const delay = next === 'now' ? 0 : nextPollDelay(now() - best.since)
    if (now() >= end || statements() >= STATEMENTS || delay === MAX_POLL_MS) return delay
    if (next === 'soon') await wait(tip, delay)
  }
}
