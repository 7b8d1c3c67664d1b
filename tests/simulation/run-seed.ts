import { compareSends } from '../../worker/features/operate/compare-sends.ts'
import { SEARCH_EVERY } from '../../worker/features/payments/list-entries.ts'
import { sweepSigned } from '../../worker/features/writer/sweep-signed.ts'
import { isolateBudget } from '../../worker/platform/flow/memory-cache.ts'
import { settleRestore } from './acts/after-restore.ts'
import { checkFolded } from './check-folded.ts'
import { checkInvariants } from './check-invariants.ts'
import { checkRest, checkStep, checkSupply } from './check-step.ts'
import { checkStepEnd } from './check-step-end.ts'
import { chosenModels } from './models/models.ts'
import { noteDone } from './note-done.ts'
import { Random } from './random.ts'
import { withSeededGlobals } from './seeded-globals.ts'
import { uploadItems } from './upload-items.ts'
import { askForAll, openAccounts, payments, userAction, withdraw, withdrawalOf } from './user-acts.ts'
import { FAULT_RATE, FOLD_BLOCKS, type Model, type UploadedItem, World } from './world.ts'

/** With which most steps come to their end. */
const RARE_FAULTS = 0.002
const EVENT_RATE = 0.01
/** Rounds of blocks and alarms, without faults, in which a service must come to rest. */
const REST = 60
const QUIET = 4
/** As many where withdrawals wait for what may never come: an operator, or a deposit that is off the chain. With all sixty a seed took an eighth longer. */
const STUCK = 12
/** Rounds of half of the blocks after which an item is folded. With a round for each block a seed took a fifth longer, and folded the same. */
const FOLD_ROUNDS = 4
/** Turns of a world in which blocks still pass the service by. */
const MOST_TURNS = 14

/** What a seed came to: what was broken, what happened, how many faults there were, and how often invariants were asked. */
export interface Outcome {
  problems: string[]
  log: string[]
  faults: number
  checked: ReadonlyMap<string, number>
  /** How often the service did what few seeds have it do. */
  done: ReadonlyMap<string, number>
}

/** Runs one seed and says what was broken, with what happened before. */
export async function runSeed(
  seed: number,
  { withdrawals = false, models = chosenModels() }: { withdrawals?: boolean; models?: ReadonlyMap<string, Model> } = {},
): Promise<Outcome> {
  // An isolate begins with each seed: a fee rate that was read in the one before would be remembered in this one.
  isolateBudget.clear()
  const world = new World(seed, withdrawals ? models : new Map([...models].filter(([, { money }]) => !money)))
  world.onStepEnded = (tipHash) => checkStepEnd(world, tipHash)
  const clock = {
    now: world.serviceNow,
    wait: async (ms: number) => {
      // A wait may last longer than asked; as short as asked it only costs steps, which the limit of queries is about.
      world.now += Math.ceil(ms) * (world.models.has('query-limit') ? 1 : 20)
      world.mayRepeat()
    },
  }
  return await withSeededGlobals(new Random(~seed), clock, world.fetch, world.onLogged, async () => {
    world.items = await uploadItems(world)
    if (withdrawals) await begin(world)
    await disturb(world, world.items, new Random(seed ^ 0xf01d), withdrawals ? new Random(seed ^ 0x5eed) : undefined)
    await calm(world)
    await rest(world)
    const problems = new Set([...checkInvariants(world), ...checkRest(world)])
    noteDone(world)
    await foldAll(world)
    for (const problem of [...checkInvariants(world), ...checkFolded(world)]) problems.add(problem)
    return {
      problems: [...problems],
      log: world.stage.log,
      faults: world.stage.faults,
      checked: world.checked,
      done: world.done,
    }
  })
}

/** Users have money, and what left the wallet was compared once, as by the first tick of the clock. */
async function begin(world: World): Promise<void> {
  await openAccounts(world)
  await world.stage.run([() => world.wake()])
  await world.stage.run([() => world.alarm()])
  await world.stage.run([() => compare(world)])
}

/** Users, the chain and faults at work, all at once. */
async function disturb(
  world: World,
  items: readonly UploadedItem[],
  folds: Random,
  payouts: Random | undefined,
): Promise<void> {
  const { random, stage } = world
  stage.faultRate = FAULT_RATE
  stage.eventRate = EVENT_RATE
  stage.onEvent = () => chainEvent(world)
  const turns = isHard(world) ? random.integer(4, 8) : random.integer(5, 14)
  for (let turn = 0; turn < turns || (world.passedByFor > 0 && turn < MOST_TURNS); turn++) {
    const tasks: (() => Promise<void>)[] = []
    if (random.chance(0.6)) tasks.push(() => userAction(world, items))
    if (isHard(world)) tasks.push(() => askForAll(world, items))
    const order = payouts?.chance(0.6) ? withdrawalOf(world, payouts) : undefined
    if (order) tasks.push(() => withdraw(world, order))
    const alarms = random.chance(world.twoAtOnce) ? 2 : random.chance(0.8) ? 1 : 0
    if (random.chance(0.6)) tasks.push(() => world.wake())
    // There is one object of a chain; bare steps may run twice at once.
    world.overlapping = alarms > 1 && (!world.agent || world.models.has('two-agents'))
    for (let i = 0; i < (world.agent ? Math.min(alarms, 1) : alarms); i++) tasks.push(() => world.alarm())
    const { agent } = world
    if (agent && world.overlapping) tasks.push(() => agent.runAnother())
    for (const { acts } of world.models.values()) tasks.push(...(acts?.(world) ?? []))
    // So often that it is there, too, in the moment between the bytes and their rows.
    if (random.chance(0.2)) tasks.push(() => sweep(world, 40))
    if (folds.chance(0.3)) tasks.push(() => compare(world))
    if (isHard(world)) stage.faultRate = random.chance(0.4) ? FAULT_RATE : RARE_FAULTS
    await stage.run(tasks)
    world.problems.push(...checkStep(world))
    if (random.chance(0.5)) payments(world)
    const model = random.chance(0.3) ? random.pick([...world.models.values()]) : undefined
    if (model) model.happen(world)
    for (const { turn: react } of world.models.values()) react?.(world)
    if (random.chance(0.6)) world.mine()
    world.now += random.chance(0.05) ? 4_000_000 : 2_000
  }
}

/** The sweep of signed bytes, to which all are old: nothing is in its way but D1. */
async function sweep(world: World, times = 1): Promise<void> {
  for (let run = 0; run < times; run++) {
    await world.request(() => sweepSigned({ DB: world.d1, BUCKET: world.r2 }, world.now, 1))
  }
}

/** Whether a seed is about what is written: users then ask for prices at once. */
function isHard({ models }: World): boolean {
  return [...models.values()].some(({ hard }) => hard)
}

function chainEvent(world: World): void {
  const { random, models } = world
  const model = random.chance(0.5) ? random.pick([...models.values()]) : undefined
  if (model) {
    model.happen(world)
    return
  }
  const kind = random.integer(0, 5)
  if (kind <= 1) world.mine()
  else if (kind === 2) world.reorganise(random.integer(1, 6))
  else if (kind === 3) world.evictSome()
  else if (kind === 4) world.replacePayment()
  else payments(world)
}

/** Milliseconds until what the node found too cheap is tried again, and a wallet that is to be searched whole is. */
function untilTriedAgain({ d1, serviceNow }: World): number {
  const [last] = d1.rows(
    `SELECT MAX(IFNULL((SELECT MAX(retry_at) FROM set_aside WHERE kind = 'refused'), 0),
       IFNULL((SELECT MAX(searched_at) + ${SEARCH_EVERY} FROM wallet_scans WHERE search_due), 0)) AS at`,
  )
  return Number(last?.at ?? 0) - serviceNow()
}

/** Compares what left the wallet with what was signed, as the clock does; what is folded is never taken for somebody else's. */
async function compare(world: World): Promise<void> {
  const { d1, rpc, blockchain } = world
  await world.request(() => compareSends(d1, rpc, blockchain, world.serviceNow()))
}

/** Blocks come until the transactions of all that is stored are folded. */
async function foldAll(world: World): Promise<void> {
  const { stage } = world
  // What other copies of the wallet signed is not the service's, and never folded.
  await stage.run([() => compare(world)])
  for (let round = 0; round < FOLD_ROUNDS; round++) {
    for (let block = 0; block < FOLD_BLOCKS / 2; block++) world.mine()
    world.now += 2_000
    await stage.run([() => world.wake()])
    await stage.run([() => world.alarm()])
    await stage.run([() => compare(world)])
  }
  await stage.run([() => world.alarm()])
  world.problems.push(...checkStep(world))
}

/** No more faults, and what is still going on ends. */
async function calm(world: World): Promise<void> {
  const { stage } = world
  stage.faultRate = 0
  stage.eventRate = 0
  world.overlapping = false
  world.calm()
  // An operator whose wallet was emptied by what was paid out puts something back.
  if ([...world.models.values()].some(({ money }) => money)) world.fund()
  for (const { end } of world.models.values()) {
    await end?.(world)
    world.problems.push(...checkStep(world))
  }
}

/** Blocks come, the agent works, and everything paid must find its end. */
async function rest(world: World): Promise<void> {
  const { stage, d1 } = world
  // Quiet for a while: a payment that a reorganisation took away may be mined again.
  for (let round = 0, quiet = 0, needed = QUIET; round < REST && quiet < needed; round++) {
    await stage.run([() => world.wake()])
    await stage.run([() => world.alarm()])
    world.mine()
    world.problems.push(...checkSupply(world))
    world.now += Math.max(2_000, untilTriedAgain(world))
    // What a reorganisation took back of a published item, too, has to be mined again.
    const busy = d1.rows(
      `SELECT 1 FROM writes WHERE state IN ('queued', 'writing', 'published') OR (state = 'parked' AND replan = 1)
       UNION ALL SELECT 1 FROM wallet_scans WHERE search_due
       UNION ALL SELECT 1 FROM transactions WHERE state IN ('signed', 'sent') LIMIT 1`,
    )
    quiet = busy.length > 0 ? 0 : quiet + 1
    needed = d1.rows(`SELECT 1 FROM withdrawals WHERE state IN ('waiting', 'sent') LIMIT 1`).length > 0 ? STUCK : QUIET
  }
  await stage.run([() => world.wake()])
  await stage.run([() => world.alarm()])
  // What a wallet had lost, too, and a rescan has found since.
  if (world.restores > 0) await stage.run([() => settleRestore(world)])
  await stage.run([() => sweep(world)])
  world.problems.push(...checkStep(world))
}
