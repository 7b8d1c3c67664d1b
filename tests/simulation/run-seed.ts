import { isolateBudget } from '../../worker/platform/flow/memory-cache.ts'
import { isUnexplained, settleRestore } from './acts/after-restore.ts'
import { fetchOf } from './ask-node.ts'
import { checkFolded } from './check-folded.ts'
import { checkInvariants } from './check-invariants.ts'
import { checkRest, checkStep } from './check-step.ts'
import { checkStepEnd } from './check-step-end.ts'
import { mayRepeat } from './effects.ts'
import { evictSome, mine, reorganise } from './mine.ts'
import { chosenModels } from './models/models.ts'
import { noteDone } from './note-done.ts'
import { replacePayment } from './pay.ts'
import { Random } from './random.ts'
import type { UploadedItem } from './records.ts'
import { calm, foldAll, rest, sweep } from './rest.ts'
import { noteLog, runAlarm, wakeAgent } from './run-service.ts'
import { withSeededGlobals } from './seeded-globals.ts'
import { startWorld } from './start-world.ts'
import { uploadItems } from './upload-items.ts'
import { askForAll, openAccounts, payments, userAction, withdraw, withdrawalOf } from './user-acts.ts'
import { FAULT_RATE, type Model, type World } from './world.ts'

/** With which most steps come to their end. */
const RARE_FAULTS = 0.002
const EVENT_RATE = 0.01
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
  const world = startWorld(seed, withdrawals ? models : new Map([...models].filter(([, { money }]) => !money)))
  world.onStepEnded = (tipHash) => checkStepEnd(world, tipHash)
  const clock = {
    now: world.serviceNow,
    wait: async (ms: number) => {
      // A wait may last longer than asked; as short as asked it only costs steps, which the limit of queries is about.
      world.now += Math.ceil(ms) * (world.models.has('query-limit') ? 1 : 20)
      mayRepeat(world)
    },
  }
  return await withSeededGlobals(
    new Random(~seed),
    clock,
    fetchOf(world),
    (text, ...details) => noteLog(world, text, details),
    async () => {
      world.items = await uploadItems(world)
      if (withdrawals) await begin(world)
      await disturb(world, world.items, withdrawals ? new Random(seed ^ 0x5eed) : undefined)
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
    },
  )
}

/** Users have money, and the agent has taken its first step. */
async function begin(world: World): Promise<void> {
  await openAccounts(world)
  await world.stage.run([() => wakeAgent(world)])
  await world.stage.run([() => runAlarm(world)])
}

/** Users, the chain and faults at work, all at once. */
async function disturb(world: World, items: readonly UploadedItem[], payouts: Random | undefined): Promise<void> {
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
    if (random.chance(0.6)) tasks.push(() => wakeAgent(world))
    // There is one object of a chain; bare steps may run twice at once.
    world.overlapping = alarms > 1 && (!world.agent || world.models.has('two-agents'))
    for (let i = 0; i < (world.agent ? Math.min(alarms, 1) : alarms); i++) tasks.push(() => runAlarm(world))
    const { agent } = world
    if (agent && world.overlapping) tasks.push(() => agent.runAnother())
    for (const { acts } of world.models.values()) tasks.push(...(acts?.(world) ?? []))
    if (isUnexplained(world) && random.chance(0.3)) tasks.push(() => settleRestore(world))
    // So often that it is there, too, in the moment between the bytes and their rows.
    if (random.chance(0.2)) tasks.push(() => sweep(world, 40))
    if (isHard(world)) stage.faultRate = random.chance(0.4) ? FAULT_RATE : RARE_FAULTS
    await stage.run(tasks)
    world.problems.push(...checkStep(world))
    if (random.chance(0.5)) payments(world)
    const model = random.chance(0.3) ? random.pick([...world.models.values()]) : undefined
    if (model) model.happen(world)
    for (const { turn: react } of world.models.values()) react?.(world)
    if (random.chance(0.6)) mine(world)
    world.now += random.chance(0.05) ? 4_000_000 : 2_000
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
  if (kind <= 1) mine(world)
  else if (kind === 2) reorganise(world, random.integer(1, 6))
  else if (kind === 3) evictSome(world)
  else if (kind === 4) replacePayment(world)
  else payments(world)
}
