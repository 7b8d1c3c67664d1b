import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'

/**
 * What becomes of a request: it passes, its client is struck before it reaches the service or behind its answer, or its
 * own connection is cut there.
 */
type Fate = 'pass' | 'before' | 'behind' | 'cut before' | 'cut behind'

/** A proxy before a Worker that says when its client dies. */
export interface StrikingProxy {
  url: string
  /** Requests that the service was asked, with how often each was. */
  readonly asked: Map<string, number>
  /** Decides about each request by its number, from 1 on, and its name. */
  fate: (number: number, name: string) => Fate
  /** Ends the client; its connections are cut behind it. */
  strike: () => void
  close(): Promise<void>
}

/** Starts a proxy of its own port before `target`. */
export async function startStrikingProxy(target: string): Promise<StrikingProxy> {
  const { hostname, port } = new URL(target)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  let number = 0
  const server = createServer((request, response) => {
    const name = `${request.method} ${request.url}`
    const fate = proxy.fate(++number, name)
    if (fate === 'before') return strike()
    if (fate === 'cut before') return void request.socket.destroy()
    proxy.asked.set(name, (proxy.asked.get(name) ?? 0) + 1)
    pass(request, response, fate)
  })
  function strike(): void {
    proxy.strike()
    server.closeAllConnections()
  }
  function pass(request: IncomingMessage, response: ServerResponse, fate: Fate): void {
    const { method, url: path, headers } = request
    const onward = send({ agent, hostname, port, method, path, headers }, (answer) => {
      if (fate === 'behind') {
        answer.resume()
        return strike()
      }
      if (fate === 'cut behind') {
        answer.resume()
        return void request.socket.destroy()
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      // Whoever is gone reads nothing more; unread, the answer would keep its connection to the service in use.
      response.once('close', () => answer.resume())
    })
    // A client that was struck while its request was under way.
    onward.on('error', () => response.destroy())
    request.on('error', () => onward.destroy())
    request.pipe(onward)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const proxy: StrikingProxy = {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    asked: new Map(),
    fate: () => 'pass',
    strike: () => {},
    async close() {
      server.closeAllConnections()
      server.close()
      agent.destroy()
      await once(server, 'close')
    },
  }
  return proxy
}
