import type { TestGroup } from './reach.ts'
import type { Mutant } from './switch-mutants.ts'
import type { FileEnd, FileRun, TestRunner } from './test-runner.ts'

/** A mutant and the tests that it has still to pass. */
export interface Trial {
  mutant: Mutant
  /** It is made when modules are imported: it needs a workerd of its own. */
  isImported: boolean
  groups: TestGroup[]
}

/** `caught` by a test; `survived` all; `unknown` where its tests could not be run. */
export type TestVerdict =
  | { outcome: 'caught'; by: string }
  | { outcome: 'survived' }
  | { outcome: 'unknown'; by: string }

/** Mutants that one workerd runs at a time: it takes some eight seconds until it has imported the Worker. */
const TOGETHER = 25
/** What tests take together in one workerd before it is seen which have failed (ms). */
const ROUND_MS = 60_000
/** Of that those of one mutant in its first round (ms), and twice as much in each that follows: most are caught in the first. */
const SHARE_MS = 2_000
/** What a test file costs beside its tests (ms). */
const FILE_MS = 120
/** Rounds in which none of a mutant's files is run, for another mutant never ended, or workerd did. */
const MAX_LOST = 6

/** A trial with what became of it so far. */
interface Running extends Trial {
  rounds: number
  lost: number
  /** The test that failed with it, or all of a file's where not even a test did: they count once they have passed without it. */
  failed?: { path: string; tests: string[] | undefined; by: string }
}

interface Planned {
  run: FileRun
  trial: Running
  group: TestGroup | undefined
}

/** Tries mutants in one workerd after the other, until `next` has none; `end` is called for each when it is over. */
export async function tryMutants(
  runner: Pick<TestRunner, 'run'>,
  next: () => Trial | undefined,
  end: (mutant: Mutant, verdict: TestVerdict) => void,
): Promise<void> {
  /** Tests that were seen to pass, or not, by themselves and without a mutant. */
  const alone = new Map<string, boolean>()
  let waiting: Running | undefined
  let running: Running[] = []
  for (;;) {
    while (running.length < TOGETHER && !running[0]?.isImported) {
      const trial: Running | undefined = waiting ?? begin(next())
      waiting = undefined
      if (!trial) break
      if (trial.groups.length === 0) end(trial.mutant, { outcome: 'survived' })
      else if (trial.isImported && running.length > 0) {
        waiting = trial
        break
      } else running.push(trial)
    }
    if (running.length === 0) return
    const planned = planRound(running, alone)
    const ends = new Map<string, FileEnd>()
    const stuck = await runner.run(
      planned.map(({ run }) => run),
      (file) => ends.set(file.path, file),
    )
    const still: Running[] = []
    for (const trial of running) {
      const verdict = judge(
        trial,
        planned.filter((one) => one.trial === trial),
        { ends, stuck, alone },
      )
      if (verdict) end(trial.mutant, verdict)
      else still.push(trial)
    }
    running = still
  }
}

function begin(trial: Trial | undefined): Running | undefined {
  return trial && { ...trial, rounds: 0, lost: 0 }
}

/** What one workerd runs: the tests that have caught a mutant without it, and those that come next for the others. */
function planRound(running: readonly Running[], alone: ReadonlyMap<string, boolean>): Planned[] {
  const planned: Planned[] = []
  const uses = new Map<string, number>()
  const add = (
    trial: Running,
    path: string,
    mutant: string | undefined,
    tests: string[] | undefined,
    group?: TestGroup,
  ) => {
    const use = (uses.get(path) ?? 0) + 1
    uses.set(path, use)
    planned.push({ run: { path: `${path}?${use}`, planned: { mutant, tests } }, trial, group })
  }
  for (const trial of running) {
    const { failed } = trial
    if (failed && !alone.has(nameOf(failed))) add(trial, failed.path, undefined, failed.tests)
  }
  let left = ROUND_MS
  for (const trial of running.toSorted((a, b) => a.rounds - b.rounds)) {
    if (trial.failed) continue
    let share = trial.isImported ? ROUND_MS : SHARE_MS * 2 ** trial.rounds
    if (left > 0) trial.rounds++
    for (const group of trial.groups) {
      if (left <= 0 || share <= 0) break
      add(trial, group.path, trial.mutant.id, group.tests, group)
      left -= group.ms + FILE_MS
      share -= group.ms + FILE_MS
    }
  }
  return planned
}

/** By what it is kept whether tests pass by themselves. */
function nameOf({ path, tests }: Pick<TestGroup, 'path' | 'tests'>): string {
  return `${path}: ${tests?.join()}`
}

interface Round {
  ends: ReadonlyMap<string, FileEnd>
  stuck: string | undefined
  alone: Map<string, boolean>
}

/** What a round says of a mutant; nothing where it has to go on. */
function judge(trial: Running, planned: readonly Planned[], { ends, stuck, alone }: Round): TestVerdict | undefined {
  const { failed } = trial
  if (failed) {
    const [check] = planned
    const checked = check && ends.get(check.run.path)
    if (checked) alone.set(nameOf(failed), !checked.failed)
    const passes = alone.get(nameOf(failed))
    if (passes === true) return { outcome: 'caught', by: failed.by }
    if (passes === undefined && ++trial.lost < MAX_LOST) return undefined
    // It fails by itself, so it says nothing of the mutant.
    delete trial.failed
  }
  if (planned.some(({ run, group }) => group && run.path === stuck)) {
    return { outcome: 'caught', by: `${stuck?.replace(/\?.*/, '')}, which never ended` }
  }
  const run = planned.filter(({ run, group }) => group && ends.has(run.path))
  for (const {
    run: { path },
    group,
  } of run) {
    const end = ends.get(path)
    if (!end?.failed || !group) continue
    const test = end.tests.find(({ state }) => state === 'failed')
    trial.groups = trial.groups.filter((one) => one !== group)
    trial.failed = {
      path: group.path,
      tests: test ? [test.name] : group.tests,
      by: `${group.path}: ${test ? `${test.name} (${test.error})` : end.error}`,
    }
    return undefined
  }
  if (run.length === 0 && planned.length > 0 && !failed && ++trial.lost === MAX_LOST) {
    return { outcome: 'unknown', by: 'no test that ended' }
  }
  const done = new Set(run.map(({ group }) => group))
  trial.groups = trial.groups.filter((group) => !done.has(group))
  return trial.groups.length === 0 ? { outcome: 'survived' } : undefined
}
