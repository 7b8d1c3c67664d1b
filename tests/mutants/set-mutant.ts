import { afterEach, beforeAll, expect, inject, type RunnerTask } from 'vitest'

/**
 * The first of the setup files: says which mutation is made while a test file runs, and what its tests reach. Files of a run
 * share the Worker's modules, and so do their mutants: what is reached when those are imported needs a run of its own.
 */

/** What a test file is run for; all of its tests, without any mutation, where nothing is planned. */
export interface PlannedFile {
  mutant: string | undefined
  /** The full names of the tests that run, if not all do. */
  tests?: readonly string[] | undefined
}

declare module 'vitest' {
  interface ProvidedContext {
    /** By path below `tests/worker`. */
    plan: Record<string, PlannedFile>
  }
  interface TaskMeta {
    /** Mutations that a test reached, and those that were reached before the first one. */
    reached?: string[]
    imported?: string[]
  }
}

declare global {
  /** Mutants with which a test of this workerd has failed. */
  var caughtMutants: Set<string> | undefined
}

const [, path = ''] = expect.getState().testPath?.split('/tests/worker/') ?? []
const planned = inject('plan')[path]
const mutant = planned?.mutant

/** Every call of a node leaves a timeout, for minutes: some 25 files leave more than the 10,000 that a workerd takes. */
const PATIENT_MS = 1_000
if (globalThis.caughtMutants === undefined) {
  globalThis.caughtMutants = new Set()
  const { timeout } = AbortSignal
  AbortSignal.timeout = (ms) => (ms < PATIENT_MS ? timeout.call(AbortSignal, ms) : new AbortController().signal)
}
if (mutant !== undefined && globalThis.caughtMutants.has(mutant)) throw new Error('Caught by an earlier file')

let reached = new Set<string>()
globalThis.isMutated = (id) => {
  reached.add(id)
  return id === mutant
}

function skipTests(task: RunnerTask, isSkipped: (test: RunnerTask) => boolean): void {
  if (task.type === 'suite') for (const one of task.tasks) skipTests(one, isSkipped)
  else if (isSkipped(task)) task.mode = 'skip'
}

let imported: string[] = []
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a hook wants
beforeAll(({}, file) => {
  imported = [...reached]
  reached = new Set()
  const names = planned?.tests
  if (names) for (const task of file.tasks) skipTests(task, ({ fullTestName = '' }) => !names.includes(fullTestName))
})

afterEach(({ task }) => {
  if (planned === undefined) {
    task.file.meta.imported = imported
    task.meta.reached = [...reached]
  }
  reached = new Set()
  if (task.result?.state !== 'fail' || mutant === undefined) return
  globalThis.caughtMutants?.add(mutant)
  skipTests(task.file, (test) => test.result === undefined)
})
