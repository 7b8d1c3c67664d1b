/** How long (ms) `expect.poll` waits: a moment here may be many seconds on a loaded machine. */
export const POLLING = { timeout: 60_000 }
