import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FileEnd } from './test-runner.ts'

/** Test files of the Worker, below their folder; without those that need seconds for a case. */
export function listTestFiles(root: string): string[] {
  const names = readdirSync(join(root, 'tests/worker'), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.test.ts') && !name.endsWith('.heavy.test.ts')).sort()
}

/** Some tests of a file, by their full names, and how long they take (ms); all of a file of which nothing is known. */
export interface TestGroup {
  path: string
  tests: string[] | undefined
  ms: number
}

/** What is known of a test file without any mutation. */
type FileReach = Pick<FileEnd, 'path' | 'imported'> & { tests: { name: string; ms: number; reached: string[] }[] }

/** A test that takes longer (ms) waits until those that take less have not caught a mutant: 400 of 5,000 take two thirds of the time. */
const LONG_MS = 350

/** Which tests reach which mutations: a mutant is only tried with those that reach it. */
export class Reach {
  readonly #files: FileReach[]

  constructor(files: readonly FileReach[] = []) {
    this.#files = [...files]
  }

  /** Adds what the tests of a file reached; those that failed without any mutation are left out. */
  add({ path, imported, tests }: FileEnd): void {
    const passed = tests.filter(({ state }) => state === 'passed')
    this.#files.push({ path, imported, tests: passed.map(({ name, ms, reached }) => ({ name, ms, reached })) })
  }

  toJSON(): readonly FileReach[] {
    return this.#files
  }

  /** Whether a mutation is made when modules are imported, in the first file of a workerd. */
  isImported(id: string): boolean {
    return this.#files.some(({ imported }) => imported.includes(id))
  }

  /**
   * The tests that reach the mutation `id` of the source `path`; where it is made when modules are imported, those near it
   * and all that reach anything of the source. The short ones are first, of these those in `near`, folders or files, and of these the shortest.
   */
  groupsFor({ path, id }: { path: string; id: string }, near: readonly string[]): TestGroup[] {
    const isAny = this.isImported(id)
    const isFar = (file: string) => !near.some((one) => file.startsWith(one))
    const reaches = (reached: readonly string[]) =>
      isAny ? reached.some((one) => one.startsWith(`${path}#`)) : reached.includes(id)
    const groups = this.#files.flatMap((file) => {
      const tests = file.tests.filter(({ reached }) => (isAny && !isFar(file.path)) || reaches(reached))
      return [false, true].flatMap((isLong) => {
        const own = tests.filter(({ ms }) => ms > LONG_MS === isLong)
        if (own.length === 0) return []
        const ms = own.reduce((sum, test) => sum + test.ms, 0)
        return [{ path: file.path, tests: own.map(({ name }) => name), ms, isLong }]
      })
    })
    return groups.toSorted(
      (a, b) => Number(a.isLong) - Number(b.isLong) || Number(isFar(a.path)) - Number(isFar(b.path)) || a.ms - b.ms,
    )
  }
}
