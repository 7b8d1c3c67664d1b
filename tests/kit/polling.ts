/** How long (ms) `expect.poll` waits for what takes a moment here: on a machine that does much else it takes many. */
export const POLLING = { timeout: 60_000 }
