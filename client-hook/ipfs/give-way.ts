/** How long (ms) reading may hold the page's thread before what waits has its turn. */
const SLICE_MS = 8

const waiting: (() => void)[] = []
/** Timers wait for 4 ms where they follow each other, and for a second in a hidden tab; messages don't. */
const { port1, port2 } = new MessageChannel()
port1.onmessage = () => waiting.shift()?.()
let since = performance.now()

/** Lets the page do what waits, where it could not for 8 ms: reading is long, none of its tasks is. */
export async function giveWay(): Promise<void> {
  if (performance.now() - since < SLICE_MS) return
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    port2.postMessage(undefined)
  })
  since = performance.now()
}
