import type { Miniflare } from 'miniflare'
import { Inspector } from './inspector.ts'

/** Measures the memory of a Worker's isolate: heap and buffers, Durable Objects included. */
export class IsolateMemory {
  readonly #inspector: Inspector
  #peak = 0
  #watching = false

  constructor(inspector: Inspector) {
    this.#inspector = inspector
  }

  /** Needs a Miniflare that was started with an inspector port. */
  static async connect(miniflare: Miniflare): Promise<IsolateMemory> {
    return new IsolateMemory(await Inspector.connect(miniflare))
  }

  /** Bytes in use now. */
  async bytes(): Promise<number> {
    const usage: HeapUsage = Object(await this.#inspector.ask('Runtime.getHeapUsage'))
    const { usedSize = 0, embedderHeapUsedSize = 0, backingStorageSize = 0 } = usage
    return usedSize + embedderHeapUsedSize + backingStorageSize
  }

  /** The most bytes in use while `work` runs, polled continuously. */
  async peakDuring(work: () => Promise<unknown>): Promise<number> {
    this.#peak = 0
    this.#watching = true
    const watching = this.#watch()
    await work()
    this.#watching = false
    await watching
    return this.#peak
  }

  close(): void {
    this.#inspector.close()
  }

  async #watch(): Promise<void> {
    while (this.#watching) this.#peak = Math.max(this.#peak, await this.bytes())
  }
}

/** The result of `Runtime.getHeapUsage`, in bytes. */
interface HeapUsage {
  usedSize?: number
  embedderHeapUsedSize?: number
  backingStorageSize?: number
}
