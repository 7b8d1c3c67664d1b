/** Between two looks at the node while there is work, in milliseconds: often where blocks come often. */
export const MIN_POLL_MS = 200
export const SHORT_POLL_MS = 2_000
/** Looks between two blocks, where that is not too often. */
const LOOKS = 20

/** How long to wait before the next look, `waited` milliseconds after the last block. Pure. */
export function nextPollDelay(waited: number): number {
  return Math.min(SHORT_POLL_MS, Math.max(MIN_POLL_MS, waited / LOOKS))
}
