import { runStep } from '../../worker/agent/run-step.ts'
import { NodeError } from '../../worker/chain/rpc/rpc-transport.ts'
import { RpcError } from '../../worker/chain/rpc/wallet-rpc.ts'
import type { PaymentContext } from '../../worker/features/payments/payment-context.ts'
import type { EndingContext } from '../../worker/features/payouts/end/end-withdrawal.ts'
import { noticeRestore } from '../../worker/features/payouts/restore/notice-restore.ts'
import { AppError } from '../../worker/platform/http/errors.ts'
import { rpcOf } from './ask-node.ts'
import { mayRepeat } from './effects.ts'
import { noteLogged } from './note-done.ts'
import { isRestoredSince } from './watch-database.ts'
import type { World } from './world.ts'

/** Steps of one alarm: blocks of a whole spike may have passed the service by. */
const MOST_STEPS = 40

/** Weather in which nothing is sold at times: a wallet that is locked or empty, a chain that is stopped, another that is always faster. */
const MAY_REFUSE = [
  ...['wallet-weather', 'wallet-copy', 'young-funding', 'operator-acts', 'customer-acts', 'restored-database'],
  'restored-machine',
  ...['payer-habits', 'long-spike', 'lost-deposits'],
]

/** What calls of the API work with. */
export function contextOf(world: World): PaymentContext {
  return { db: world.d1, config: world.config, rpcOf: () => rpcOf(world), now: world.serviceNow() }
}

/** What withdrawals are ended with. */
export function endingOf(world: World): EndingContext {
  const { r2: bucket, blockchain, numbers } = world
  const context = { ...contextOf(world), bucket }
  return { ...context, noticeRestore: () => noticeRestore(context, blockchain, numbers) }
}

/** Runs agent steps until there is nothing more to do at once; an error ends it as the alarm's catch would. */
export async function runAlarm(world: World): Promise<void> {
  if (world.agent) return await world.agent.run()
  const faults = world.stage.faults
  try {
    for (let step = 0; step < MOST_STEPS; step++) {
      mayRepeat(world)
      const { blockchain, config, d1: db, r2: bucket, numbers } = world
      const now = world.serviceNow()
      if ((await runStep({ blockchain, config, db, bucket, rpc: rpcOf(world), numbers, now })).next !== 'now') return
    }
    if (world.stage.eventRate === 0) world.problems.push(`${MOST_STEPS} steps, each to be followed at once by another`)
  } catch (error) {
    accept(world, error, world.stage.faults > faults)
  }
}

/** The watchdog, or a caller, wakes the agent. */
export async function wakeAgent(world: World): Promise<void> {
  await world.agent?.wake()
}

/** What a caller of the API meets: refusals, and 5xx only where something failed. */
export async function requestApi(world: World, work: () => Promise<unknown>): Promise<void> {
  const faults = world.stage.faults
  mayRepeat(world)
  try {
    await work()
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return
    accept(world, error, world.stage.faults > faults)
  }
}

/** What the service's own log says has failed, and is tried again. */
export function noteLog(world: World, text: string, details: readonly unknown[]): void {
  noteLogged(world, text, details)
  if (/step_failed/.test(text)) accept(world, details[1], world.stage.faultRate > 0)
}

function accept(world: World, error: unknown, faulty: boolean): void {
  // The chain may change between two calls to the node: what it then says fits nothing, and is asked again.
  const moved = world.stage.eventRate > 0 && (error instanceof NodeError || error instanceof RpcError)
  // What it read of a database that was restored meanwhile may fit nothing either.
  if (faulty || moved || isRestoredSince(world) || (error instanceof AppError && moved)) return
  // A wallet that is locked or empty sells nothing, and says so.
  const emptied = MAY_REFUSE.some((name) => world.models.has(name))
  if (error instanceof AppError && error.status === 503 && emptied) return
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : undefined
  // Nothing is sold while the agent's steps fail, be it of a fault before.
  if (String(cause).startsWith("the agent can't work")) return
  // Nor where all that fees could be paid from hangs on a transaction that waits for a block.
  const waits = world.d1.rows(`SELECT 1 FROM transactions WHERE state IN ('signed', 'sent')`).length > 0
  if (waits && /free for fees/.test(String(cause))) return
  if (world.stage.eventRate > 0 && (cause instanceof NodeError || cause instanceof RpcError)) return
  world.problems.push(`failed without a fault: ${error instanceof Error ? error.stack : error}`)
}
