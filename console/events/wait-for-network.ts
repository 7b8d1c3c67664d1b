/** Waits, but at most until the network is back, the page is looked at again, or `signal` is aborted. */
export function waitForNetwork(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      document.removeEventListener('visibilitychange', seen)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const seen = () => {
      if (document.visibilityState === 'visible') done()
    }
    const timer = setTimeout(done, ms)
    addEventListener('online', done)
    document.addEventListener('visibilitychange', seen)
    signal.addEventListener('abort', done)
  })
}
