import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { closeServer, listen } from './loopback-server.ts'

/**
 * What happens to a request: it passes, its client is killed before it reaches the service or after its answer, or its
 * connection is cut there.
 */
type Fate = 'pass' | 'before' | 'after' | 'cut before' | 'cut after'

/** A proxy of a Worker that kills its client, or cuts its connections, at chosen requests. */
export interface KillingProxy {
  url: string
  /** Requests that the service received, with their counts. */
  readonly received: Map<string, number>
  /** Decides about each request by its number, from 1 on, and its name. */
  fate: (number: number, name: string) => Fate
  /** Kills the client; its connections are cut afterwards. */
  kill: () => void
  close(): Promise<void>
}

/** Starts a proxy of `target` on a port of its own. */
export async function startKillingProxy(target: string): Promise<KillingProxy> {
  const { hostname, port } = new URL(target)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  let number = 0
  const server = createServer((request, response) => {
    const name = `${request.method} ${request.url}`
    const fate = proxy.fate(++number, name)
    if (fate === 'before') return killClient()
    if (fate === 'cut before') return void request.socket.destroy()
    proxy.received.set(name, (proxy.received.get(name) ?? 0) + 1)
    pass(request, response, fate)
  })
  function killClient(): void {
    proxy.kill()
    server.closeAllConnections()
  }
  function pass(request: IncomingMessage, response: ServerResponse, fate: Fate): void {
    const { method, url: path, headers } = request
    const onward = send({ agent, hostname, port, method, path, headers }, (answer) => {
      if (fate === 'after') {
        answer.resume()
        return killClient()
      }
      if (fate === 'cut after') {
        answer.resume()
        return void request.socket.destroy()
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      // A client that is gone reads nothing more; unread, the answer would hold its connection to the service.
      response.once('close', () => answer.resume())
    })
    // A client that was killed during its request.
    onward.on('error', () => response.destroy())
    request.on('error', () => onward.destroy())
    request.pipe(onward)
  }
  const own = await listen(server)
  const proxy: KillingProxy = {
    url: `http://127.0.0.1:${own}`,
    received: new Map(),
    fate: () => 'pass',
    kill: () => {},
    async close() {
      agent.destroy()
      await closeServer(server)
    },
  }
  return proxy
}
