/** Milliseconds that reading may block the main thread. */
const SLICE_MS = 8

const waiting: (() => void)[] = []
/** Nested timers wait for 4 ms, and for a second in a hidden tab; messages don't. */
const { port1, port2 } = new MessageChannel()
port1.onmessage = () => waiting.shift()?.()
let since = performance.now()

/** Yields to other tasks of the page if they have waited for 8 ms, so that reading is never one long task. */
export async function yieldToPage(): Promise<void> {
  if (performance.now() - since < SLICE_MS) return
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    port2.postMessage(undefined)
  })
  since = performance.now()
}
