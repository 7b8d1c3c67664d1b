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

/** A test that takes longer (ms) is long: 400 of 5,000 take two thirds of the time. */
const LONG_MS = 350
/** What short tests and long ones take together that a mutant is tried with (ms), the nearest first; some places thousands reach. */
const MOST_MS = 60_000

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

  /** Whether it is known what the tests of a file reach. */
  has(path: string): boolean {
    return this.#files.some((file) => file.path === path)
  }

  /**
   * The tests that reach the mutation `id` of the source `path`; where it is made when modules are imported, those near it
   * and all that reach anything of the source. First are those in `near`, folders or files, and of these the shortest.
   */
  groupsFor(
    { path, id }: { path: string; id: string },
    near: readonly string[],
  ): { short: TestGroup[]; long: TestGroup[] } {
    const isAny = this.isImported(id)
    const isNear = (file: string) => near.some((one) => file.startsWith(one))
    const reaches = (reached: readonly string[]) =>
      isAny ? reached.some((one) => one.startsWith(`${path}#`)) : reached.includes(id)
    const pick = (isLong: boolean) => {
      const groups = this.#files.flatMap((file) => {
        const all = file.tests.filter(({ ms }) => ms > LONG_MS === isLong)
        const tests = all.filter(({ reached }) => (isAny && isNear(file.path)) || reaches(reached))
        const ms = tests.reduce((sum, test) => sum + test.ms, 0)
        return tests.length === 0 ? [] : [{ path: file.path, tests: tests.map(({ name }) => name), ms }]
      })
      let left = MOST_MS
      return groups
        .toSorted((a, b) => Number(isNear(b.path)) - Number(isNear(a.path)) || a.ms - b.ms)
        .filter(({ ms }) => {
          left -= ms
          return left + ms > 0
        })
    }
    return { short: pick(false), long: pick(true) }
  }
}
