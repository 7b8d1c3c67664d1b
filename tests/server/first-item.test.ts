import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { connect } from '../kit/call-devnet.ts'
import { logIn, PASSWORD, signUp } from '../kit/sign-up.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import { type SendRequest, uploadItem } from '../kit/upload-item.ts'
import type {} from './provided.ts'
import { type RunningServer, startServer } from './run-server.ts'

const EMAIL = 'ada@example.com'
const TEXT = `${'Kept on a chain, at home. '.repeat(400)}${randomBytes(30).toString('hex')}`

let chains: RunningDevnet
let server: RunningServer
let token: string
let item: string

beforeAll(async () => {
  chains = await startDevnet({ port: 0, blockMs: 200 })
  const setup = { home: inject('server'), folder: await tempFolder(), rpc: chains.url, mailUrl: chains.outboxUrl }
  server = await startServer({ ...setup, settings: { TRUSTED_PROXIES: '127.0.0.1' } })
})
afterAll(async () => {
  await server?.end('SIGTERM')
  await chains?.close()
})

const send: SendRequest = (method, path, body) =>
  fetch(`${server.url}/v0${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  })

const statusOf = async (id: string): Promise<number> => (await send('GET', `/item/${id}`)).status

const read = (init: RequestInit = {}) => fetch(`${server.url}/v0/content/${item}`, init)

/** An answer with its body as it was sent, which `fetch` would decode. */
async function rawGet(path: string, headers: Record<string, string>): Promise<{ encoding?: string; body: Buffer }> {
  return await new Promise((resolve, reject) => {
    request(`${server.url}${path}`, { headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () =>
        resolve({
          body: Buffer.concat(parts),
          ...(answer.headers['content-encoding'] !== undefined && { encoding: answer.headers['content-encoding'] }),
        }),
      )
    })
      .on('error', reject)
      .end()
  })
}

it('stores an item that was paid for, from sign-up to the bytes in the chain', async () => {
  token = await signUp({ url: server.url, chains }, EMAIL)
  const bytes = new TextEncoder().encode(TEXT)
  item = await uploadItem(send, { name: 'a.txt', mimetype: 'text/plain', blockchain: 'Nativecoin' }, bytes)
  await send('POST', `/item/${item}/merge`)
  await expect.poll(async () => await statusOf(item)).toBe(200)
  const asked = await send('POST', '/payment', JSON.stringify({ blockchain: 'Nativecoin', ids: [item] }))
  const { address, amount }: { address: string; amount: number } = JSON.parse(await asked.text())
  connect(chains.devnet, 'Nativecoin')('sendtoaddress', address, String(amount))
  await vi.waitFor(async () => expect(await (await read()).text()).toBe(TEXT), 60_000)
})

it('sends ranges, and Brotli to a client that takes it', async () => {
  const part = await read({ headers: { Range: 'bytes=5-24' } })
  expect([part.status, await part.text()]).toEqual([206, TEXT.slice(5, 25)])
  const { encoding, body } = await rawGet(`/v0/content/${item}`, { 'Accept-Encoding': 'br' })
  expect([encoding, brotliDecompressSync(body).toString()]).toEqual(['br', TEXT])
  const plain = await rawGet(`/v0/content/${item}`, {})
  expect([plain.encoding, plain.body.toString()]).toEqual([undefined, TEXT])
})

it('has all of it after it was killed, and has run its jobs of the minute', async () => {
  const minute = async () => {
    const health: { minute?: number } = JSON.parse(await (await fetch(`${server.url}/v0/health`)).text())
    return health.minute
  }
  await expect.poll(minute).toBeDefined()
  await server.end('SIGKILL')
  await server.start()
  expect(await (await read()).text()).toBe(TEXT)
  token = await logIn(server.url, EMAIL)
  expect(await statusOf(item)).toBe(200)
})

it('believes what a trusted proxy says of a client, and nothing that a client says of itself', async () => {
  const tries = async (headers: Record<string, string>, count: number) => {
    const statuses: number[] = []
    for (let index = 0; index < count; index++) {
      const body = JSON.stringify({ email: EMAIL, password: `${PASSWORD}x` })
      const answer = await fetch(`${server.url}/v0/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
      })
      await answer.text()
      statuses.push(answer.status)
    }
    return statuses
  }
  const first = await tries({ 'X-Forwarded-For': '198.51.100.1, 203.0.113.5' }, 12)
  expect(first.at(-1)).toBe(429)
  const forged = {
    'CF-Connecting-IP': '192.0.2.9',
    'MF-CF-Blob': JSON.stringify({ clientIp: '192.0.2.9:1' }),
    'CF-Visitor': '{"scheme":"http"}',
  }
  expect(await tries({ ...forged, 'X-Forwarded-For': '192.0.2.77, 203.0.113.5' }, 1)).toEqual([429])
})

it('lets a request end that is on its way when it is told to stop', async () => {
  const body = Buffer.from(JSON.stringify({ email: EMAIL, password: PASSWORD }))
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
  const slow = request(`${server.url}/v0/token`, { method: 'POST', headers })
  const answered = once(slow, 'response')
  await new Promise((resolve) => slow.write(body.subarray(0, 10), resolve))
  // Answered after what was sent before it has arrived.
  await read()
  const ended = server.end('SIGTERM')
  slow.end(body.subarray(10))
  const [answer]: IncomingMessage[] = await answered
  answer?.resume()
  expect(answer?.statusCode).toBe(200)
  expect(await ended).toBe(0)
  await server.start()
})

it('has no file of a merge that is done after its next start', () => {
  const files = readdirSync(join(server.dataDir, 'objects', 'main-ItemMerger'))
  expect(files.filter((name) => !name.startsWith('metadata'))).toEqual([])
})
