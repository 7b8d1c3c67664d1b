import type { Row } from './row.ts'

/** How far a ratio may fall below the committed one, because machines differ and other load disturbs. */
const MAX_FALL = 0.3
/** A higher ratio to a limit that does less work is not the work's. */
const MOST_BY_WORK = 1.5

/** The rows whose ratio fell, with the lowest ratio that is accepted; absolute values are never compared. */
export function findRegressions(rows: readonly Row[], committed: readonly Row[]): { row: Row; worst: number }[] {
  return rows.flatMap((row) => {
    const known = committed.find(({ id }) => id === row.id)
    if (row.ratio === undefined || known?.ratio === undefined || !row.better) return []
    // There the limit had bad places in memory (12 MB: 1.7 to 5.3), as ours may have in the next run.
    if (row.better === 'higher' && known.ratio > MOST_BY_WORK) return []
    // A ratio above the limit is chance and no standard for the next run.
    const worst = row.better === 'higher' ? Math.min(1, known.ratio) * (1 - MAX_FALL) : known.ratio / (1 - MAX_FALL)
    const fell = row.better === 'higher' ? row.ratio < worst : row.ratio > worst
    return fell ? [{ row, worst }] : []
  })
}
