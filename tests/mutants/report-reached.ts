import { afterEach, beforeAll } from 'vitest'

declare global {
  var reached: Set<string> | undefined
}

declare module 'vitest' {
  interface TaskMeta {
    /** Functions of the Worker that a file's tests ran, and those that ran when it was imported. */
    reached?: string[]
    imported?: string[]
  }
}

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
})
