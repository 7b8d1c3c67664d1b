/** Limits in milliseconds of the delay between two polls of the node while there is work. */
export const MIN_POLL_MS = 200
export const MAX_POLL_MS = 2_000
/** The delay is the time since the last block divided by this, so that fast chains are polled more often. */
const POLLS_PER_BLOCK = 20

/** The delay before the next poll, in milliseconds. `waited` is the time since the last block. Pure. */
export function nextPollDelay(waited: number): number {
  return Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, waited / POLLS_PER_BLOCK))
}
