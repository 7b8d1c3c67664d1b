import type { Miniflare } from 'miniflare'

/** Watches the memory of a Worker's isolate through the inspector: heap and buffers, Durable Objects included. */
export class IsolateMemory {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: HeapUsage) => void>()
  #next = 0
  #peak = 0
  #watching = false

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const message: { id?: number; result?: HeapUsage } = JSON.parse(String(data))
      if (message.id !== undefined && message.result) this.#waiting.get(message.id)?.(message.result)
    })
  }

  /** Needs a Miniflare that was started with an inspector port. */
  static async connect(miniflare: Miniflare): Promise<IsolateMemory> {
    const inspector = await miniflare.getInspectorURL()
    const response = await fetch(new URL('/json', inspector.href.replace(/^ws/, 'http')))
    const targets: { id: string; webSocketDebuggerUrl: string }[] = JSON.parse(await response.text())
    const target = targets.find(({ id }) => id.startsWith('core:user:'))
    if (!target) throw new Error('the inspector knows no Worker')
    const socket = new WebSocket(target.webSocketDebuggerUrl)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', reject)
    })
    return new IsolateMemory(socket)
  }

  /** Bytes in use now. */
  async bytes(): Promise<number> {
    const { usedSize = 0, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await this.#ask('Runtime.getHeapUsage')
    return usedSize + embedderHeapUsedSize + backingStorageSize
  }

  /** The most bytes in use while `work` went on, asked for again and again. */
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
    this.#socket.close()
  }

  async #ask(method: string): Promise<HeapUsage> {
    const id = this.#next++
    const answer = await new Promise<HeapUsage>((resolve) => {
      this.#waiting.set(id, resolve)
      this.#socket.send(JSON.stringify({ id, method }))
    })
    this.#waiting.delete(id)
    return answer
  }

  async #watch(): Promise<void> {
    while (this.#watching) this.#peak = Math.max(this.#peak, await this.bytes())
  }
}

/** What `Runtime.getHeapUsage` answers, in bytes; other methods answer nothing of it. */
interface HeapUsage {
  usedSize?: number
  embedderHeapUsedSize?: number
  backingStorageSize?: number
}
