/** Blocks without progress after which the reason is said. */
const MANY = 6

/** What was last seen to move of an order, and how deep the transaction lay then by which blocks are counted. */
export interface Progress {
  written: number
  confirmed: number
  depth: number
}

/** The mark to count from: the one before while nothing moved, a new one once something did. */
export function markProgress(before: Progress | undefined, now: Progress): Progress {
  const same = before && before.written === now.written && before.confirmed === now.confirmed
  // A reorganisation may have made it less deep.
  return same && before.depth <= now.depth ? before : now
}

/** Whether so many blocks came since `mark` that somebody who waits wants to know why nothing moves. */
export function isStalled(mark: Progress, depth: number): boolean {
  return depth - mark.depth >= MANY
}
