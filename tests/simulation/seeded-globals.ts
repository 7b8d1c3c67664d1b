import { scheduler } from 'node:timers/promises'
import type { Random } from './random.ts'

/**
 * Runs `work` with what differs between runs, or between Node and workerd, replaced: random ids come from the seed,
 * the log is silent, and `scheduler`, a global of workerd, is there. `random` is for this alone: libraries take from it
 * once in a process.
 */
export async function withSeededGlobals<T>(random: Random, work: () => Promise<T>): Promise<T> {
  const part = () => random.integer(0x1000, 0xffff).toString(16)
  const silent = () => {}
  const restore = [
    replace(globalThis, 'scheduler', scheduler),
    replace(console, 'warn', silent),
    replace(console, 'error', silent),
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

function replace(target: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { value, configurable: true, writable: true })
  return () => {
    if (before) Object.defineProperty(target, name, before)
    else Reflect.deleteProperty(target, name)
  }
}
