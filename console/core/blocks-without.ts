/** Blocks without progress after which a reason is shown. */
const MANY = 6

/** The last progress of an order, and the depth of the transaction that counts blocks at that time. */
export interface Progress {
  written: number
  confirmed: number
  depth: number
}

/** The progress to count from: the earlier one if nothing changed, else the new one. */
export function markProgress(before: Progress | undefined, now: Progress): Progress {
  const same = before && before.written === now.written && before.confirmed === now.confirmed
  // A reorganisation may have reduced the depth.
  return same && before.depth <= now.depth ? before : now
}

/** Whether there were so many blocks since `mark` that the user should see why nothing happens. */
export function isStalled(mark: Progress, depth: number): boolean {
  return depth - mark.depth >= MANY
}
