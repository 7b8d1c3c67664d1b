import { createHash } from 'node:crypto'
import type { Random } from './random.ts'

/**
 * Runs `work` with what differs between runs, or between Node and workerd, replaced: random ids come from the seed,
 * the log is heard and not shown, the clock is the world's, hashes are ready at once, and so are `scheduler`, a global of workerd, and what `fetch`
 * reaches. `random` is for this alone: libraries take from it
 * once in a process.
 */
export async function withSeededGlobals<T>(
  random: Random,
  clock: { now(): number; wait(ms: number): Promise<void> },
  fetch: (url: string, init: RequestInit) => Promise<object>,
  onLogged: (text: string, ...details: unknown[]) => void,
  work: () => Promise<T>,
): Promise<T> {
  const patience = new AbortController()
  const part = () => random.integer(0x1000, 0xffff).toString(16)
  const silent = () => {}
  const restore = [
    replace(globalThis, 'scheduler', { wait: clock.wait }),
    replace(globalThis, 'fetch', fetch),
    replace(Date, 'now', clock.now),
    // No call of the simulation lasts any time of this machine's.
    replace(AbortSignal, 'timeout', () => patience.signal),
    replace(crypto.subtle, 'digest', digest),
    replace(console, 'warn', onLogged),
    replace(console, 'error', onLogged),
    replace(console, 'info', silent),
    replace(crypto, 'randomUUID', () => `${part()}${part()}-${part()}-4000-8000-${part()}${part()}${part()}`),
    replace(crypto, 'getRandomValues', (array: Uint8Array) => {
      array.set(random.bytes(array.length))
      return array
    }),
  ]
  try {
    return await work()
  } finally {
    for (const undo of restore) undo()
  }
}

/** The platform's digest at once: it would go to another thread and back for each of a few bytes. */
async function digest(algorithm: string | { name: string }, data: Uint8Array | ArrayBuffer): Promise<ArrayBuffer> {
  const name = (typeof algorithm === 'string' ? algorithm : algorithm.name).replace('-', '')
  return Uint8Array.from(createHash(name).update(new Uint8Array(data)).digest()).buffer
}

function replace(target: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { value, configurable: true, writable: true })
  return () => {
    if (before) Object.defineProperty(target, name, before)
    else Reflect.deleteProperty(target, name)
  }
}
