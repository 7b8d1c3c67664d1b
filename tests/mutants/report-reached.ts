import { afterEach, beforeAll } from 'vitest'

declare global {
  var reached: Set<string> | undefined
  /** A test of this Worker failed: its files are those of one mutant, which is caught. */
  var hasFailed: boolean | undefined
}

declare module 'vitest' {
  interface TaskMeta {
    /** Functions of the Worker that a file's tests ran, and those that ran when it was imported. */
    reached?: string[]
    imported?: string[]
  }
}

// Tests of the files that follow are skipped, but a file would still be imported, which takes longer than most tests.
if (globalThis.hasFailed) throw new Error('An earlier file failed')

/** Files share a Worker: each has what it runs noted anew. */
const ran = new Set<string>()
globalThis.reached = ran
let imported: string[] = []

beforeAll(() => {
  imported = [...ran]
})

afterEach(({ task }) => {
  task.file.meta.imported = imported
  task.file.meta.reached = [...ran]
  if (task.result?.state === 'fail') globalThis.hasFailed = true
})
