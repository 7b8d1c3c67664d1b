import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect, type PeerCertificate } from 'node:tls'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import type {} from './provided.ts'
import { API, CONTENT, isInstalled, PROXIES, type RunningProxy, startProxy } from './run-proxy.ts'
import { type RunningServer, startServer } from './run-server.ts'

const TOKEN = 'a-token-of-the-monitor-'.repeat(2)
const PROVEN = 'www.proven.test'
const RELEASED = 'www.released.test'

let chains: RunningDevnet
let server: RunningServer

beforeAll(async () => {
  chains = await startDevnet({ port: 0, blockMs: 200 })
  const setup = { home: inject('server'), folder: await tempFolder(), rpc: chains.url, mailUrl: chains.outboxUrl }
  const settings = {
    BASE_URL: `https://${API}`,
    STORAGE_HOST: CONTENT,
    TRUSTED_PROXIES: '127.0.0.1',
    METRICS_TOKEN: TOKEN,
  }
  server = await startServer({ ...setup, settings })
  await server.end('SIGTERM')
  claimDomains(server.dataDir)
  await server.start()
})
afterAll(async () => {
  await server?.end('SIGTERM')
  await chains?.close()
})

/** Claims a domain in the tables, and one that was given up. */
function claimDomains(dataDir: string): void {
  const folder = join(dataDir, 'objects', 'database')
  const [file = ''] = readdirSync(folder).filter((one) => /^[\da-f]{64}\.sqlite$/.test(one))
  const database = new DatabaseSync(join(folder, file))
  const claim = database.prepare(
    `INSERT INTO domains (host, item_id, user_id, status, record, created_at, claimed_at, seen_at, looked_at, kind)
     VALUES (?, '${'a'.repeat(24)}', 'a user', ?, '', 1, 1, 1, 1, 'site')`,
  )
  database.exec('PRAGMA foreign_keys = OFF')
  claim.run(PROVEN, 'active')
  claim.run(RELEASED, 'removing')
  database.close()
}

const within = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${server.internalPort}${path}`, { headers })
const outside = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers: { 'X-Forwarded-Host': API, 'X-Forwarded-Proto': 'https', ...headers } })

const AS_MONITOR = { Authorization: `Bearer ${TOKEN}` }

it('has figures for the machine alone, who knows the token', async () => {
  const figures = await within('/metrics', AS_MONITOR)
  expect([figures.status, await figures.text()]).toEqual([200, expect.stringContaining('hookline_')])
  expect((await within('/metrics')).status).toBe(401)
  expect((await outside('/metrics', AS_MONITOR)).status).toBe(404)
  expect((await outside('/v0/health')).status).toBe(200)
  expect((await within('/v0/health')).status).toBe(200)
  expect((await within('/v0/user')).status).toBe(404)
})

it.each([
  [API, 200],
  [CONTENT, 200],
  [PROVEN, 200],
  [PROVEN.toUpperCase(), 200],
  [RELEASED, 404],
  ['www.nobody.test', 404],
  [`${'a'.repeat(24)}.${CONTENT}`, 404],
  [`name.${CONTENT}`, 404],
  ['127.0.0.1', 404],
  ['no name', 404],
  [`${'a'.repeat(64)}.test`, 404],
  ['', 404],
])('lets a certificate be made for %s: %i', async (domain, status) => {
  const answer = await within(`/internal/tls?domain=${encodeURIComponent(domain)}`)
  expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([status, 'no-store'])
  expect((await outside(`/internal/tls?domain=${encodeURIComponent(domain)}`)).status).toBe(404)
})

describe.runIf(isInstalled('caddy'))('Caddy', () => {
  let running: RunningProxy
  beforeAll(async () => {
    const upstream = `127.0.0.1:${server.port}`
    const internal = `127.0.0.1:${server.internalPort}`
    running = await startProxy(PROXIES.caddy, { folder: await tempFolder(), upstream, internal })
  })
  afterAll(async () => await running?.stop())

  it('makes a certificate for a domain that was proven here, and for no other', async () => {
    expect((await certificateOf(running.address, PROVEN)).subjectaltname).toBe(`DNS:${PROVEN}`)
    await expect(certificateOf(running.address, 'www.nobody.test')).rejects.toThrow(/alert/i)
  })
})

async function certificateOf(host: string, servername: string): Promise<PeerCertificate> {
  return await new Promise((resolve, reject) => {
    const socket = connect({ host, port: 443, servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate())
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
