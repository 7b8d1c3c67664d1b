import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDevnet } from '../../../devnet/start-devnet.ts'
import { connect } from '../../kit/call-devnet.ts'
import { startDohServer } from '../../kit/doh-server.ts'
import { signUp } from '../../kit/sign-up.ts'
import { uploadItem } from '../../kit/upload-item.ts'
import { startServer } from '../run-server.ts'
import { nameOf, PLACES, type Place, type Reached } from './places.ts'

// Run in a network of its own (addresses.test.ts): the folder of the built server, and an empty one. Prints what was
// reached. The node, the mail provider and the service are on its loopback; DNS over HTTPS is on its public address.

const [home = '', folder = ''] = process.argv.slice(2)
const [API, CONTENT] = ['api.probe.test', 'probe-content.test']
const WEBHOOK_PORT = 8443
const STORED_WITHIN_MS = 60_000

/** Counts the connections that arrive at a port of an address. */
async function countConnections(host: string, port: number): Promise<() => number> {
  let count = 0
  const server = createServer((socket) => {
    count++
    socket.destroy()
  })
  await once(server.listen(port, host), 'listening')
  server.unref()
  return () => count
}

const chains = await startDevnet({ port: 0, blockMs: 200 })
const doh = await startDohServer(PLACES.public)
const settings = {
  BASE_URL: `https://${API}`,
  STORAGE_HOST: CONTENT,
  TRUSTED_PROXIES: '127.0.0.1',
  DOH_URL: doh.url,
}
const server = await startServer({ home, folder, rpc: chains.url, mailUrl: chains.outboxUrl, settings })

const asProxy = async (
  path: string,
  init: { method: string; headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer> | string },
) => {
  const headers = { ...init.headers, 'X-Forwarded-Host': API, 'X-Forwarded-Proto': 'https' }
  return await fetch(server.url + path, { ...init, headers })
}
const byUrl = (url: string, init: { method: string; headers: Record<string, string>; body: string }) =>
  asProxy(new URL(url).pathname, init)
const token = await signUp({ url: `https://${API}`, chains, fetch: byUrl }, 'ada@example.com')
const send = (method: string, path: string, body?: Uint8Array<ArrayBuffer> | string) =>
  asProxy(`/v0${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  })
const post = async (path: string, body: object = {}) => {
  const answer = await send('POST', path, JSON.stringify(body))
  const text = await answer.text()
  if (!answer.ok && answer.status !== 402) throw new Error(`${path}: ${answer.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** An item that is paid for and written, by a node on the loopback. */
async function storeItem(): Promise<string> {
  const fields = { name: 'a.html', mimetype: 'text/html', blockchain: 'Nativecoin' }
  const item = await uploadItem(send, fields, new TextEncoder().encode('<!doctype html><p>At home</p>'))
  await post(`/item/${item}/merge`)
  await until(async () => (await send('GET', `/item/${item}`)).status === 200)
  const { address, amount } = await post('/payment', { blockchain: 'Nativecoin', ids: [item] })
  connect(chains.devnet, 'Nativecoin')('sendtoaddress', address, String(amount))
  await until(async () => JSON.parse(await (await send('GET', `/item/${item}`)).text()).status === '200 OK')
  return item
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + STORED_WITHIN_MS; !(await holds()); await sleep(100)) {
    if (Date.now() > end) throw new Error(`it did not happen in time\n${server.log()}`)
  }
}

async function reach(place: Place, item: string): Promise<Reached> {
  const [host, address] = [nameOf(place), PLACES[place]]
  const [webhooks, domains] = [await countConnections(address, WEBHOOK_PORT), await countConnections(address, 443)]
  const { id } = await post('/webhook', { url: `https://${host}:${WEBHOOK_PORT}/hook`, types: ['item.stored'] })
  const webhook = await post(`/webhook/${id}/test`)
  await send('DELETE', `/webhook/${id}`)
  doh.zone[host] = [
    ['CNAME', `${item}.${CONTENT}`],
    ['A', address],
  ]
  doh.zone[`${item}.${CONTENT}`] = [['A', address]]
  await post('/domain', { host, item })
  const { steps } = await post(`/domain/${host}/check`)
  const answer = steps.find(({ step }: { step: string }) => step === 'answer')
  return {
    webhook,
    domain: { state: answer?.state, found: answer?.found },
    connections: { webhook: webhooks(), domain: domains() },
  }
}

try {
  const item = await storeItem()
  const reached: Record<Place, Reached> = {
    loopback: await reach('loopback', item),
    private: await reach('private', item),
    public: await reach('public', item),
  }
  console.log(JSON.stringify(reached))
} finally {
  await server.end('SIGTERM')
  doh.close()
  await chains.close()
}
