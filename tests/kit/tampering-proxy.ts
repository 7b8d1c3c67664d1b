import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { closeServer, listen } from './loopback-server.ts'

/** A request, as the browser sent it. */
interface SeenRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
}

/**
 * What replaces a response: another body, a status, a cut connection, no response ever, a byte each half second, a
 * redirect; `undefined` passes it unchanged.
 */
export type Tamper = (
  path: string,
  body: Uint8Array<ArrayBuffer>,
) => Uint8Array<ArrayBuffer> | number | 'cut' | 'hang' | 'drip' | { location: string } | undefined

/** A proxy of the Worker that a test can cut, slow down, and let alter responses. */
export interface TamperingProxy {
  url: string
  seen: SeenRequest[]
  tamper: Tamper | undefined
  /** Every connection is refused while this is set: no network. */
  cut: boolean
  /** Paths of the running requests. */
  open: Set<string>
  close(): Promise<void>
}

/** Starts a proxy of `target` on a port of its own. */
export async function startTamperingProxy(target: string): Promise<TamperingProxy> {
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request
    if (proxy.cut) {
      response.destroy()
      return
    }
    proxy.seen.push({ method, path: url, headers })
    proxy.open.add(url)
    response.once('close', () => proxy.open.delete(url))
    const parts: Uint8Array[] = []
    for await (const part of request) parts.push(part)
    const answer = await fetch(target + url, {
      method,
      redirect: 'manual',
      headers: pick(headers, ['content-type', 'accept', 'if-none-match', 'range', 'origin']),
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
    })
    const whole = new Uint8Array(await answer.arrayBuffer())
    const outcome = proxy.tamper?.(url, whole) ?? whole
    if (outcome === 'cut') response.destroy()
    else if (outcome === 'hang') return
    else if (outcome === 'drip') drip(whole, response)
    else if (typeof outcome === 'number') response.writeHead(outcome, OPEN_TO_ALL).end()
    else if ('location' in outcome) response.writeHead(302, { ...OPEN_TO_ALL, Location: outcome.location }).end()
    else {
      for (const [name, value] of answer.headers) {
        // fetch has decoded the body.
        if (!['content-encoding', 'content-length', 'transfer-encoding', 'connection'].includes(name)) {
          response.setHeader(name, value)
        }
      }
      response.writeHead(answer.status).end(outcome)
    }
  }
  const port = await listen(server)
  const proxy: TamperingProxy = {
    url: `http://127.0.0.1:${port}`,
    seen: [],
    tamper: undefined,
    cut: false,
    open: new Set(),
    close: () => closeServer(server),
  }
  return proxy
}

const OPEN_TO_ALL = { 'Access-Control-Allow-Origin': '*' }

/** Sends a byte now and another each half second. */
function drip(body: Uint8Array, response: ServerResponse): void {
  response.writeHead(200, OPEN_TO_ALL)
  let sent = 0
  const send = () => {
    response.write(body.subarray(sent, ++sent))
    if (sent >= body.length) response.end()
  }
  const timer = setInterval(send, 500)
  response.once('close', () => clearInterval(timer))
  send()
}

function pick(headers: IncomingMessage['headers'], names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
}
