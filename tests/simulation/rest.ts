import { SEARCH_EVERY } from '../../worker/features/payments/list-entries.ts'
import { sweepSigned } from '../../worker/features/writer/follow/sweep-signed.ts'
import { isUnexplained, settleRestore, waitForLookup } from './acts/after-restore.ts'
import { checkStep, checkSupply } from './check-step.ts'
import { mine } from './mine.ts'
import { fund } from './pay.ts'
import { requestApi, runAlarm, wakeAgent } from './run-service.ts'
import { FOLD_BLOCKS, type World } from './world.ts'

/** Rounds of blocks and alarms, without faults, in which a service must come to rest. */
const REST = 60
const QUIET = 4
/** As many where withdrawals wait for what may never come: an operator, or a deposit that is off the chain. With all sixty a seed took an eighth longer. */
const STUCK = 12
/** Rounds of half of the blocks after which an item is folded. With a round for each block a seed took a fifth longer, and folded the same. */
const FOLD_ROUNDS = 4

/** No more faults, and what is still going on ends. */
export async function calm(world: World): Promise<void> {
  const { stage } = world
  stage.faultRate = 0
  stage.eventRate = 0
  world.overlapping = false
  endWeather(world)
  // An operator whose wallet was emptied by what was paid out puts something back.
  if ([...world.models.values()].some(({ money }) => money)) fund(world)
  for (const { end } of world.models.values()) {
    await end?.(world)
    world.problems.push(...checkStep(world))
  }
}

/** Blocks come, the agent works, and everything paid must find its end. */
export async function rest(world: World): Promise<void> {
  const { stage, d1 } = world
  let round = 0
  do {
    // Quiet for a while: a payment that a reorganisation took away may be mined again.
    for (let quiet = 0, needed = QUIET; round < REST && quiet < needed; round++) {
      await stage.run([() => wakeAgent(world)])
      await stage.run([() => runAlarm(world)])
      if (waitForLookup(world)) await stage.run([() => settleRestore(world)])
      for (const { round: act } of world.models.values()) for (const task of act?.(world) ?? []) await stage.run([task])
      mine(world)
      world.problems.push(...checkSupply(world))
      world.now += Math.max(2_000, untilTriedAgain(world))
      quiet = isBusy(world) ? 0 : quiet + 1
      const stuck = d1.rows(`SELECT 1 FROM withdrawals WHERE state IN ('waiting', 'sent') LIMIT 1`)
      needed = stuck.length > 0 ? STUCK : QUIET
    }
    await stage.run([() => wakeAgent(world)])
    await stage.run([() => runAlarm(world)])
    // The last of these may have found such a payment.
  } while (round < REST && isBusy(world))
  // What a wallet had lost, too, and a rescan has found since.
  if (world.restores > 0 || isUnexplained(world)) await stage.run([() => settleRestore(world)])
  await stage.run([() => sweep(world)])
  world.problems.push(...checkStep(world))
}

/** Whether something is being written, or searched for; what a reorganisation took back of a published item, too, has to be mined again. */
function isBusy({ d1 }: World): boolean {
  const busy = d1.rows(
    `SELECT 1 FROM writes WHERE state IN ('queued', 'writing', 'published') OR (state = 'parked' AND replan = 1)
     UNION ALL SELECT 1 FROM wallet_scans WHERE search_due
     UNION ALL SELECT 1 FROM transactions WHERE state IN ('signed', 'sent') LIMIT 1`,
  )
  return busy.length > 0
}

/** Blocks come until the transactions of all that is stored are folded. */
export async function foldAll(world: World): Promise<void> {
  const { stage } = world
  for (let round = 0; round < FOLD_ROUNDS; round++) {
    for (let block = 0; block < FOLD_BLOCKS / 2; block++) mine(world)
    world.now += 2_000
    await stage.run([() => wakeAgent(world)])
    await stage.run([() => runAlarm(world)])
  }
  await stage.run([() => runAlarm(world)])
  world.problems.push(...checkStep(world))
}

/** Ends what is still going on. */
function endWeather(world: World): void {
  for (const model of world.models.values()) model.calm?.(world)
  const { node, sweeps, usual } = world
  // What an operator's own transaction pays may never be enough: it expires, and what it conflicts with may be sent.
  const cheap = [...node.mempool.entries].filter(
    ([txid, { fee, transaction }]) =>
      sweeps.has(txid) && fee * 1000n < usual.blockMinFeeRate * BigInt(transaction.vsize),
  )
  node.evict(cheap.map(([txid]) => txid))
}

/** Milliseconds until what the node found too cheap is tried again, and a wallet that is to be searched whole is. */
function untilTriedAgain({ d1, serviceNow }: World): number {
  const [last] = d1.rows(
    `SELECT MAX(IFNULL((SELECT MAX(retry_at) FROM failed_records WHERE kind = 'refused'), 0),
       IFNULL((SELECT MAX(searched_at) + ${SEARCH_EVERY} FROM wallet_scans WHERE search_due), 0)) AS at`,
  )
  return Number(last?.at ?? 0) - serviceNow()
}

/** The sweep of signed bytes, to which all are old: nothing is in its way but D1. */
export async function sweep(world: World, times = 1): Promise<void> {
  for (let run = 0; run < times; run++) {
    await requestApi(world, () => sweepSigned({ DB: world.d1, BUCKET: world.r2 }, world.now, 1))
  }
}
