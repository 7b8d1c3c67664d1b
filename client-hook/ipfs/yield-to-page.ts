/** Maximum time in milliseconds for which reading blocks the main thread without a pause. */
const SLICE_MS = 8

const waiting: (() => void)[] = []
/** Browsers delay nested timers by at least 4 ms, and by a second in a hidden tab. They do not delay messages. */
const { port1, port2 } = new MessageChannel()
port1.onmessage = () => waiting.shift()?.()
let since = performance.now()

/** Yields to other tasks of the page if reading has blocked them for 8 ms, so that reading is never one long task. */
export async function yieldToPage(): Promise<void> {
  if (performance.now() - since < SLICE_MS) return
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    port2.postMessage(undefined)
  })
  since = performance.now()
}
