import type { Row } from './row.ts'

/** How far a ratio may fall below the committed one: machines differ, and neighbours are noisy. */
const MAX_FALL = 0.3

/** The rows whose ratio fell, with the worst that would have been taken; absolute values are never compared. */
export function findRegressions(rows: readonly Row[], committed: readonly Row[]): { row: Row; worst: number }[] {
  return rows.flatMap((row) => {
    const known = committed.find(({ id }) => id === row.id)
    if (row.ratio === undefined || known?.ratio === undefined || !row.better) return []
    // Above the limit itself is the luck of a round, and no promise for the next.
    const worst = row.better === 'higher' ? Math.min(1, known.ratio) * (1 - MAX_FALL) : known.ratio / (1 - MAX_FALL)
    const fell = row.better === 'higher' ? row.ratio < worst : row.ratio > worst
    return fell ? [{ row, worst }] : []
  })
}
