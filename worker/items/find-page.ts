import type { ListRun } from '../storage/items/item-lists.ts'

/** A list as it is read: its runs in order, from its beginning or, `backwards`, from its end. */
export interface Part {
  runs: readonly ListRun[]
  backwards: boolean
}

/** Where a page begins: in which part, from which bound on, and how many places there are passed over. */
export interface PageStart {
  part: number
  bound: string | undefined
  pass: number
}

/** Places of all parts together. */
export function countPlaces(parts: readonly Part[]): number {
  return parts.reduce((sum, { runs }) => runs.reduce((all, { n }) => all + n, sum), 0)
}

/**
 * Where the place begins that has `before` others before it, when the parts are read one behind the other; undefined
 * behind the last.
 */
export function findPage(parts: readonly Part[], before: number): PageStart | undefined {
  let left = before
  for (const [part, { runs, backwards }] of parts.entries()) {
    const count = runs.length
    for (let step = 0; step < count; step++) {
      const index = backwards ? count - 1 - step : step
      const run = runs[index]
      if (!run) break
      if (left < run.n) return { part, bound: backwards ? runs[index + 1]?.first : run.first, pass: left }
      left -= run.n
    }
  }
  return undefined
}
