import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { eachChain } from '../protocol/chains.ts'
import type { Devnet } from './create-devnet.ts'
import { faucetPage, payFromFaucet, readFaucetRequest } from './faucet.ts'
import { sha256 } from './hash.ts'
import { NODE_SETTINGS } from './node-settings.ts'
import { outboxPage } from './outbox-page.ts'

const CREDENTIALS = 'devnet:devnet'
const MAX_BODY = 32 << 20
/** The origin of a page of this machine. */
const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

function send(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Length': Buffer.byteLength(body), ...headers })
  response.end(body)
}

function sendJson(response: ServerResponse, status: number, body: string): void {
  send(response, status, body, { 'Content-Type': 'application/json' })
}

function sendPage(response: ServerResponse, status: number, body: string): void {
  send(response, status, body, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
  })
}

async function readText(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request) {
    length += part.length
    if (length > MAX_BODY) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function authorized(request: IncomingMessage): boolean {
  const [scheme, encoded = ''] = (request.headers.authorization ?? '').split(' ')
  const given = sha256(Buffer.from(encoded, 'base64'))
  return scheme?.toLowerCase() === 'basic' && timingSafeEqual(given, sha256(Buffer.from(CREDENTIALS)))
}

async function handleOutbox(devnet: Devnet, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { mails } = devnet.outbox
  if (request.method === 'GET') {
    // A browser names the type; programs get all mails as JSON.
    if ((request.headers.accept ?? '').includes('text/html')) return sendPage(response, 200, outboxPage(mails))
    return sendJson(response, 200, JSON.stringify(mails))
  }
  if (request.method !== 'POST') return send(response, 405, '', { Allow: 'GET, POST' })
  const body = await readText(request)
  if (body === undefined) return send(response, 413, '')
  if (!/^bearer \S+$/i.test(request.headers.authorization ?? '')) {
    return send(response, 401, '', { 'WWW-Authenticate': 'Bearer' })
  }
  const problem = devnet.outbox.accept(body, new Date(devnet.now()).toISOString())
  sendJson(response, problem ? 400 : 202, JSON.stringify(problem ? { message: problem } : { message: 'Queued.' }))
}

async function handleNode(devnet: Devnet, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://devnet')
  const [, name = '', word, wallet] = pathname.split('/')
  const node = devnet.findNode(name)
  // Dogecoin Core has one wallet and no path for others.
  const known = word === undefined || word === '' || (word === 'wallet' && node?.settings.dialect === 'core')
  if (!node || !known) return send(response, 404, '')
  if (request.method !== 'POST') return send(response, 405, 'JSONRPC server handles only POST requests')
  const body = await readText(request)
  if (!authorized(request)) return send(response, 401, '', { 'WWW-Authenticate': 'Basic realm="jsonrpc"' })
  if (body === undefined) return send(response, 413, '')
  const answer = devnet.handle(name, body, word === 'wallet' ? decodeURIComponent(wallet ?? '') : undefined)
  sendJson(response, answer.status, answer.body)
}

/**
 * A page that pays from the faucet's wallet with one press. It needs no credentials, because its coins have no value.
 */
async function handleFaucet(devnet: Devnet, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const page = (status: number, body: string) => sendPage(response, status, body)
  const { search } = new URL(request.url ?? '/', 'http://devnet')
  if (request.method === 'GET') return page(200, faucetPage(readFaucetRequest(search)))
  if (request.method !== 'POST') return send(response, 405, '', { Allow: 'GET, POST' })
  // Browsers name the site that a form is sent from: the page itself, or another page of this machine, as the console is.
  const { origin } = request.headers
  const isOwn = (request.headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin'
  const isLocal = origin !== undefined && LOOPBACK.test(origin)
  if (!isOwn && !isLocal) return send(response, 403, '')
  const asked = readFaucetRequest((await readText(request)) ?? '')
  const outcome = payFromFaucet(devnet, asked)
  if (isLocal) response.setHeader('Access-Control-Allow-Origin', origin)
  page(outcome.txid === undefined ? 400 : 200, faucetPage(asked, outcome))
}

/** The embedded nodes, the outbox, made-up prices and the faucet over HTTP, on loopback only. */
export function serveDevnet(devnet: Devnet): Server {
  return createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0]
    if (path === '/prices') return sendJson(response, 200, JSON.stringify(madeUpPrices(devnet.now())))
    const handle = path === '/outbox' ? handleOutbox : path === '/faucet' ? handleFaucet : handleNode
    const handled = handle(devnet, request, response)
    handled.catch((error: unknown) => {
      console.error(error)
      if (!response.headersSent) send(response, 500, '')
    })
  })
}

/** A document as `PRICE_URL` answers it, for coins that are worth nothing: its prices are made up. `now` in ms. */
function madeUpPrices(now: number) {
  const rates = eachChain((blockchain) => NODE_SETTINGS[blockchain].prices)
  return { asOf: Math.floor(now / 1000), source: 'made-up prices of the embedded chains', rates }
}
