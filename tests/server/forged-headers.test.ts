import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import type {} from './provided.ts'
import { type RunningServer, startServer } from './run-server.ts'

let chains: RunningDevnet
let server: RunningServer

beforeAll(async () => {
  chains = await startDevnet({ port: 0, blockMs: 0 })
  const setup = { home: inject('server'), folder: await tempFolder(), rpc: chains.url, mailUrl: chains.outboxUrl }
  // Of a network that no client of these tests is in.
  server = await startServer({ ...setup, settings: { TRUSTED_PROXIES: '192.0.2.0/24' } })
})
afterAll(async () => {
  await server?.end('SIGTERM')
  await chains?.close()
})

it.each([
  ['MF-CF-Blob', JSON.stringify({ clientIp: '203.0.113.1:1', clientIsNamed: true })],
  ['CF-Connecting-IP', '203.0.113.2'],
  ['X-Forwarded-For', '203.0.113.3, 192.0.2.1'],
  ['Hookline-Client-IP', '203.0.113.4;1;a'],
])('a client that no proxy vouches for is counted as before when it sends %s', async (name, value) => {
  const body = JSON.stringify({ email: `${crypto.randomUUID()}@example.com`, password: 'Wrong1horse' })
  const left = async (forged: Record<string, string>) => {
    const headers = { 'Content-Type': 'application/json', ...forged }
    const answer = await fetch(`${server.url}/v0/token`, { method: 'POST', headers, body })
    await answer.text()
    return Number(/"login";r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '')?.[1])
  }
  const most = await left({})
  expect(await left({ [name]: value })).toBe(most - 1)
})

it('such a client does not choose the host or the scheme that it is answered by', async () => {
  const plain = await fetch(`${server.url}/console`, { redirect: 'manual' })
  const forged = { 'X-Forwarded-Host': 'storage.localhost', 'X-Forwarded-Proto': 'https' }
  const answer = await fetch(`${server.url}/console`, { redirect: 'manual', headers: forged })
  expect([answer.status, answer.headers.get('Strict-Transport-Security')]).toEqual([plain.status, null])
  expect(plain.status).toBe(200)
})

it('such a client does not choose the coding of an answer', async () => {
  const blob = JSON.stringify({ clientAcceptEncoding: 'br' })
  const headers = { 'Accept-Encoding': 'identity', 'MF-CF-Blob': blob }
  expect((await fetch(`${server.url}/hook.js`, { headers })).headers.get('Content-Encoding')).toBeNull()
})
