/** How long one part may take to close, in milliseconds: a Worker that is busy with a request for ever never does. */
const CLOSE_TIMEOUT_MS = 3000

/**
 * Closes what was opened, last opened first, each within its time; the others are closed too where one fails or
 * hangs. Returns whether all of them closed.
 */
export async function closeAll(closers: readonly (() => unknown)[], timeoutMs = CLOSE_TIMEOUT_MS): Promise<boolean> {
  let all = true
  for (const close of closers.toReversed()) {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`A process did not close within ${timeoutMs} ms and is killed.`)),
        timeoutMs,
      )
    })
    try {
      await Promise.race([close(), late])
    } catch (error) {
      all = false
      console.error(error instanceof Error ? error.message : error)
    } finally {
      clearTimeout(timer)
    }
  }
  return all
}
