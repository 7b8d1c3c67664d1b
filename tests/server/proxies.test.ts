import { createServer, type IncomingHttpHeaders, request as plainRequest } from 'node:http'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { closeServer, listen } from '../kit/loopback-server.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import { askThrough } from './ask-through.ts'
import type {} from './provided.ts'
import { API, CONTENT, isInstalled, PROXIES, type RunningProxy, startProxy } from './run-proxy.ts'
import { type RunningServer, startServer } from './run-server.ts'

let chains: RunningDevnet
let server: RunningServer

beforeAll(async () => {
  chains = await startDevnet({ port: 0, blockMs: 200 })
  const setup = { home: inject('server'), folder: await tempFolder(), rpc: chains.url, mailUrl: chains.outboxUrl }
  const settings = { BASE_URL: `https://${API}`, STORAGE_HOST: CONTENT, TRUSTED_PROXIES: '127.0.0.1' }
  server = await startServer({ ...setup, settings })
})
afterAll(async () => {
  await server?.end('SIGTERM')
  await chains?.close()
})

// Without them nothing is proved: CI installs both, and says so where it cannot.
describe.each(Object.values(PROXIES).filter(({ program }) => isInstalled(program)))('behind $program', (proxy) => {
  let running: RunningProxy
  beforeAll(async () => {
    running = await startProxy(proxy, { folder: await tempFolder(), upstream: `127.0.0.1:${server.port}` })
  })
  afterAll(async () => await running?.stop())

  const ask = (host: string, path: string, headers: Record<string, string> = {}) =>
    askThrough(running.address, host, path, { headers })

  it('the hosts of API and content answer by https, and know their names', async () => {
    const health = await ask(API, '/v0/health')
    expect([health.status, JSON.parse(health.body.toString()).storage]).toEqual([200, 'ok'])
    expect(health.headers['strict-transport-security']).toBeDefined()
    expect((await ask(CONTENT, '/')).headers.location ?? '').not.toContain('127.0.0.1')
    // Only the API's host has the console.
    expect((await ask(API, '/console')).status).toBe(200)
    expect((await ask(CONTENT, '/console')).status).not.toBe(200)
  })

  it('Brotli and ranges arrive as they were sent', async () => {
    const whole = await ask(API, '/hook.js', { 'Accept-Encoding': 'br' })
    expect(whole.headers['content-encoding']).toBe('br')
    const text = brotliDecompressSync(whole.body).toString()
    const plain = await ask(API, '/hook.js', { 'Accept-Encoding': 'identity' })
    expect(plain.body.toString()).toBe(text)
    const part = await ask(API, '/hook.js', { 'Accept-Encoding': 'identity', Range: 'bytes=0-9' })
    expect([part.status, part.body.toString()]).toEqual([206, text.slice(0, 10)])
  })

  it('plain http leads to https', async () => {
    const answer = await new Promise<{ status: number | undefined; location: string | undefined }>(
      (resolve, reject) => {
        plainRequest({ host: running.address, port: 80, path: '/v0/health', headers: { Host: API } }, (response) => {
          response.resume()
          resolve({ status: response.statusCode, location: response.headers.location })
        })
          .on('error', reject)
          .end()
      },
    )
    expect([answer.status, answer.location]).toEqual([308, `https://${API}/v0/health`])
  })
})

describe.each(Object.values(PROXIES).filter(({ program }) => isInstalled(program)))('$program', (proxy) => {
  it('says of a client what it is, not what it says of itself', async () => {
    let seen: IncomingHttpHeaders = {}
    const echo = createServer((incoming, answer) => {
      seen = incoming.headers
      answer.end()
    })
    const port = await listen(echo)
    const running = await startProxy(proxy, { folder: await tempFolder(), upstream: `127.0.0.1:${port}` })
    const forged = {
      'X-Forwarded-For': '198.51.100.1',
      'X-Forwarded-Host': 'other.example',
      'X-Forwarded-Proto': 'http',
    }
    await askThrough(running.address, API, '/', { headers: forged })
    await running.stop()
    await closeServer(echo)
    const said = [seen['x-forwarded-for'], seen['x-forwarded-host'], seen['x-forwarded-proto'], seen.host]
    expect(said).toEqual(['127.0.0.1', API, 'https', API])
  })
})
