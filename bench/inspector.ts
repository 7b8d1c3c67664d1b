import type { Miniflare } from 'miniflare'

/** A connection to the inspector of a Worker's isolate (Chrome DevTools Protocol). */
export class Inspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: unknown) => void>()
  #next = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const message: { id?: number; result?: unknown } = JSON.parse(String(data))
      if (message.id === undefined) return
      this.#waiting.get(message.id)?.(message.result)
      this.#waiting.delete(message.id)
    })
  }

  /** Needs a Miniflare that was started with an inspector port. */
  static async connect(miniflare: Miniflare): Promise<Inspector> {
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
    return new Inspector(socket)
  }

  /** The result of a method, errors included, in the protocol's form. */
  ask(method: string, params: Record<string, unknown> = {}): Promise<unknown> {
    const id = this.#next++
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }

  close(): void {
    this.#socket.close()
  }
}
