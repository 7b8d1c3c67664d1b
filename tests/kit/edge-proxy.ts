import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { signFront } from '../../worker/platform/http/sign-front.ts'
import { closeServer, listen } from './loopback-server.ts'

/** A response of the Worker, or what is sent in its place; nothing in it is decoded. */
export interface EdgeAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** What is asked of the Worker, by the address that the client used. */
export interface EdgeRequest {
  url: URL
  headers: IncomingHttpHeaders
}

export interface EdgeProxy {
  /** Where a host listens, by its scheme. */
  place: (url: URL) => { host: string; port: number }
  /** Changes a response before the client has it. */
  onAnswer: ((request: EdgeRequest, answer: EdgeAnswer) => EdgeAnswer) | undefined
  /** The address of whoever asks. */
  client: string
  /** Whether the address that a client names in `CF-Connecting-IP` is believed. */
  believes: boolean
  close(): Promise<void>
}

/**
 * What Cloudflare is in front of a Worker, on this machine: terminates TLS, says by which scheme a request came, and which address
 * the client has (signed with the key that the Worker has as `FRONT_KEY`).
 */
export async function startEdgeProxy(options: {
  target: string
  frontKey: string
  certificate: { cert: string; key: string }
}): Promise<EdgeProxy> {
  const { target, frontKey, certificate } = options
  const pass = (scheme: 'http' | 'https') => (incoming: IncomingMessage, outgoing: ServerResponse) => {
    forward(scheme, incoming, outgoing).catch(() => outgoing.destroy())
  }
  const [plain, secure] = [createServer(pass('http')), createSecureServer(certificate, pass('https'))]
  const [httpPort, httpsPort] = [await listen(plain), await listen(secure)]

  async function forward(scheme: 'http' | 'https', incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const asked = {
      url: new URL(`${scheme}://${incoming.headers.host}${incoming.url}`),
      headers: { ...incoming.headers },
    }
    const address = proxy.believes ? String(asked.headers['cf-connecting-ip'] ?? proxy.client) : proxy.client
    asked.headers['hookline-client-ip'] = signFront(address, Buffer.from(frontKey, 'base64url'), Date.now())
    asked.headers['cf-visitor'] = JSON.stringify({ scheme })
    const answer = await fromWorker(target, incoming, asked)
    const { status, headers, body } = proxy.onAnswer?.(asked, answer) ?? answer
    const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...kept } = headers
    const length = status === 304 ? {} : { 'content-length': body.length }
    outgoing.writeHead(status, { ...kept, ...length }).end(body)
  }

  const proxy: EdgeProxy = {
    place: ({ protocol }) => ({ host: '127.0.0.1', port: protocol === 'https:' ? httpsPort : httpPort }),
    onAnswer: undefined,
    client: '198.51.100.7',
    believes: false,
    close: async () => void (await Promise.all([closeServer(plain), closeServer(secure)])),
  }
  return proxy
}

async function fromWorker(target: string, incoming: IncomingMessage, { headers }: EdgeRequest): Promise<EdgeAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = request(new URL(incoming.url ?? '/', target), { method: incoming.method ?? 'GET', headers }, resolve)
  sent.on('error', reject)
  incoming.pipe(sent)
  const answer = await promise
  const parts: Uint8Array[] = []
  for await (const part of answer) parts.push(part)
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }
}
