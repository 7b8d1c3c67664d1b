import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Test files of the Worker in any of `tests`, folders or files below `tests/worker`; without those that need seconds for a case. */
export function listTestFiles(root: string, tests: ReadonlySet<string>): string[] {
  const names = readdirSync(join(root, 'tests/worker'), { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.test.ts') && !name.endsWith('.heavy.test.ts'))
    .filter((name) => [...tests].some((test) => name.startsWith(test)))
    .sort()
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
   * Those of `files` that run a function, first those in `tests`, folders or files; files of which nothing is known are among them.
   * Without a name, outside of all functions, all in `tests`.
   */
  filesFor(name: string | undefined, files: readonly string[], tests: readonly string[]): string[] {
    const rankOf = (file: string) => {
      const at = tests.findIndex((test) => file.startsWith(test))
      return at < 0 ? tests.length : at
    }
    const nearest = files.toSorted((a, b) => rankOf(a) - rankOf(b))
    if (name === undefined || this.#imported.has(name)) return nearest.filter((file) => rankOf(file) < tests.length)
    return nearest.filter((file) => this.#reached.get(file)?.has(name) ?? true)
  }
}
