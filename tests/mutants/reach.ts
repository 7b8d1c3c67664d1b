import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Test files of the Worker, below their folder; without those that need seconds for a case. */
export function listTestFiles(root: string): string[] {
  const names = readdirSync(join(root, 'tests/worker'), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.test.ts') && !name.endsWith('.heavy.test.ts')).sort()
}

interface SavedReach {
  reached: [file: string, names: string[]][]
  imported: string[]
}

/** Which test files run which functions of the unchanged source: a mutant is only tried by those that run it. */
export class Reach {
  readonly #reached = new Map<string, ReadonlySet<string>>()
  /** Run when a module is imported, which only the first file of a process does. */
  readonly #imported = new Set<string>()

  constructor(saved?: SavedReach) {
    for (const [file, names] of saved?.reached ?? []) this.add(file, names, [])
    this.#imported = new Set(saved?.imported)
  }

  add(file: string, reached: readonly string[], imported: readonly string[]): void {
    this.#reached.set(file, new Set(reached))
    for (const name of imported) this.#imported.add(name)
  }

  toJSON(): SavedReach {
    return { reached: [...this.#reached].map(([file, names]) => [file, [...names]]), imported: [...this.#imported] }
  }

  /** Whether a file has passed on the unchanged source. */
  has(file: string): boolean {
    return this.#reached.has(file)
  }

  /**
   * Those of `files` that run the function `name` of the source `path`, first those in `tests`, folders or files; of files of which
   * nothing is known those in `tests`. Without a name, outside of all functions, those in `tests` and all that run any of the source.
   */
  filesFor(
    { path, name, tests }: { path: string; name: string | undefined; tests: readonly string[] },
    files: readonly string[],
  ): string[] {
    const rankOf = (file: string) => {
      const at = tests.findIndex((test) => file.startsWith(test))
      return at < 0 ? tests.length : at
    }
    const isNear = (file: string) => rankOf(file) < tests.length
    const runs = (file: string) => {
      const names = this.#reached.get(file)
      if (!names) return isNear(file)
      if (name !== undefined && !this.#imported.has(name)) return names.has(name)
      return isNear(file) || [...names].some((one) => one.startsWith(`${path}:`))
    }
    return files.filter(runs).sort((a, b) => rankOf(a) - rankOf(b))
  }
}
