import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { asker } from '../../scripts/probe/ask.ts'
import { probe } from '../../scripts/probe/probe.ts'
import { SHORT_CID, SHORT_PAGE } from '../../scripts/probe/samples.ts'
import { readTarget } from '../../scripts/probe/target.ts'
import { call } from '../kit/rpc-client.ts'
import { signUp } from '../kit/sign-up.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import { WHOLE_CERTIFICATE } from '../kit/test-certificates.ts'
import { uploadItem } from '../kit/upload-item.ts'
import { type Daemon, startLitecoind } from '../node/litecoind.ts'
import { type Asked, askThrough, openThrough } from './ask-through.ts'
import type {} from './provided.ts'
import { API, CONTENT, isInstalled, PROXIES, type RunningProxy, startProxy } from './run-proxy.ts'
import { type RunningServer, startServer } from './run-server.ts'

const CHAIN = 'Nativecoin'
const TEXT = 'Bought at home, through a proxy. '.repeat(40)
/** What an account may have that has paid nothing. */
const LARGE = 100_000_000
const MINE_EVERY_MS = 250
const TUS = { 'Tus-Resumable': '1.0.0' }
const JSON_TYPE = { 'Content-Type': 'application/json' }

// Without them nothing is proved: CI installs both, and says so where it cannot.
const installed = Object.values(PROXIES).filter(({ program }) => isInstalled(program))

describe.runIf(installed.length > 0)('a service whose node is a real daemon', () => {
  let outbox: RunningDevnet
  let daemon: Daemon
  let server: RunningServer
  let mining: ReturnType<typeof setInterval> | undefined

  const inWallet = (name: string, method: string, ...params: unknown[]) =>
    call({ ...daemon.node, url: `${daemon.node.url}wallet/${name}` }, method, params)

  beforeAll(async () => {
    outbox = await startDevnet({ port: 0, blockMs: 0 })
    daemon = await startLitecoind('-acceptnonstdtxn=1', '-datacarriersize=102486')
    await call(daemon.node, 'createwallet', ['service'])
    for (let coin = 0; coin < 4; coin++) {
      await inWallet('', 'sendtoaddress', await inWallet('service', 'getnewaddress'), 1)
    }
    const mine = async () => await inWallet('', 'generatetoaddress', 1, await inWallet('', 'getnewaddress'))
    await mine()
    mining = setInterval(() => void mine().catch(() => {}), MINE_EVERY_MS)
    server = await startServer({
      home: inject('server'),
      folder: await tempFolder(),
      rpc: (blockchain) => (blockchain === CHAIN ? daemon.url : undefined),
      mailUrl: outbox.outboxUrl,
      settings: {
        BASE_URL: `https://${API}`,
        STORAGE_HOST: CONTENT,
        TRUSTED_PROXIES: '127.0.0.1',
        RPC_WALLET_NATIVECOIN: 'service',
        // Above what a daemon takes for dust.
        PRICE_PER_KIB_NATIVECOIN: '0.001',
        IPFS_PAYMENT_CHAIN: CHAIN,
      },
    })
  })
  afterAll(async () => {
    clearInterval(mining)
    await server?.end('SIGTERM')
    await daemon?.stop()
    await outbox?.close()
  })

  describe.each(installed)('behind $program', (proxy) => {
    let running: RunningProxy
    let token: string
    let item: string
    let txids: string[]
    /** Where it is read. */
    let links: Record<'content' | 'site', string>

    beforeAll(async () => {
      running = await startProxy(proxy, { folder: await tempFolder(), upstream: `127.0.0.1:${server.port}` })
    })
    afterAll(async () => await running?.stop())

    const ask = (host: string, path: string, asked: Asked = {}) => askThrough(running.address, host, path, asked)
    const send = async (method: string, path: string, body?: Uint8Array | string) => {
      const headers = { Authorization: `Bearer ${token}`, ...JSON_TYPE }
      const answer = await ask(API, `/v0${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
      return { status: answer.status, text: async () => answer.body.toString() }
    }
    const jsonOf = async (method: string, path: string, body?: unknown) =>
      JSON.parse(await (await send(method, path, body === undefined ? undefined : JSON.stringify(body))).text())

    it('somebody signs up, stores, and pays a coin of the daemon', async () => {
      const byProxy = async (url: string, asked: Asked) => {
        const answer = await ask(API, new URL(url).pathname, asked)
        return { status: answer.status, text: async () => answer.body.toString() }
      }
      const service = { url: `https://${API}`, chains: outbox, fetch: byProxy }
      token = await signUp(service, `${crypto.randomUUID()}@example.com`)
      const fields = { name: 'a.html', mimetype: 'text/html', blockchain: CHAIN }
      item = await uploadItem(send, fields, new TextEncoder().encode(TEXT))
      await send('POST', `/item/${item}/merge`)
      await expect.poll(async () => (await send('GET', `/item/${item}`)).status).toBe(200)
      const { address, amount } = await jsonOf('POST', '/payment', { blockchain: CHAIN, ids: [item] })
      await inWallet('', 'sendtoaddress', address, String(amount))
      await expect.poll(async () => (await jsonOf('GET', `/item/${item}`)).status).toBe('200 OK')
      ;({ txids, links } = await jsonOf('GET', `/item/${item}`))
    })

    it('it is read on the hosts of the API, of content and of the item, and a page on the host of its CID', async () => {
      expect([links.content, links.site]).toEqual([`https://${API}/v0/content/${item}`, `https://${item}.${CONTENT}/`])
      for (const [host, path, content] of [
        [API, `/v0/content/${item}`, TEXT],
        [CONTENT, `/web/${CHAIN}/${txids.join(',')}`, TEXT],
        [`${item}.${CONTENT}`, '/', TEXT],
        [`${SHORT_CID}.ipfs.${CONTENT}`, '/', SHORT_PAGE.toString()],
      ] as const) {
        const answer = await ask(host, path)
        expect([host, answer.status, answer.body.toString()]).toEqual([host, 200, content])
      }
    })

    it('a range of it, and the Brotli that the chain has, arrive as they were sent', async () => {
      const part = await ask(API, `/v0/content/${item}`, { headers: { Range: 'bytes=7-38' } })
      expect([part.status, part.headers['content-range'], part.body.toString()]).toEqual([
        206,
        `bytes 7-38/${TEXT.length}`,
        TEXT.slice(7, 39),
      ])
      for (const [host, path] of [
        [API, `/v0/content/${item}`],
        [`${item}.${CONTENT}`, '/'],
      ] as const) {
        const coded = await ask(host, path, { headers: { 'Accept-Encoding': 'gzip, br' } })
        expect([host, coded.headers['content-encoding']]).toEqual([host, 'br'])
        expect(brotliDecompressSync(coded.body).toString()).toBe(TEXT)
      }
    })

    it('an upload of 100 MB in one request arrives whole', async () => {
      const headers = { Authorization: `Bearer ${token}`, ...TUS }
      const said = `filename ${btoa('a.bin')},filetype ${btoa('application/octet-stream')},blockchain ${btoa('IPFS')}`
      const created = await ask(API, '/v0/upload', {
        method: 'POST',
        headers: { ...headers, 'Upload-Length': String(LARGE), 'Upload-Metadata': said },
      })
      expect([created.status, created.body.toString()]).toEqual([201, ''])
      const path = new URL(created.headers.location ?? '', `https://${API}`).pathname
      const patched = await ask(API, path, {
        method: 'PATCH',
        headers: { ...headers, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' },
        body: new Uint8Array(LARGE).fill(7),
      })
      expect([patched.status, patched.headers['upload-offset']]).toEqual([204, String(LARGE)])
      expect((await ask(API, path, { method: 'DELETE', headers })).status).toBe(204)
    })

    it('an event arrives while its stream goes on', async () => {
      const headers = { Authorization: `Bearer ${token}` }
      const stream = await openThrough(running.address, API, '/v0/events', { headers })
      expect(stream.headers['content-type']).toBe('text/event-stream')
      let [seen, hasEnded] = ['', false]
      stream.on('data', (part: Buffer) => (seen += part.toString()))
      stream.on('close', () => (hasEnded = true))
      const other = await uploadItem(
        send,
        { name: 'b.txt', mimetype: 'text/plain', blockchain: CHAIN },
        Buffer.from('b'),
      )
      await send('POST', `/item/${other}/merge`)
      await expect.poll(() => seen).toContain(other)
      expect(hasEnded).toBe(false)
      stream.destroy()
    })

    it('clients are told apart by their own addresses, and not by what they say of themselves', async () => {
      const body = JSON.stringify({ email: `${crypto.randomUUID()}@example.com`, password: 'Wrong1horse' })
      const left = async (from: string, forged: Record<string, string> = {}) => {
        const answer = await ask(API, '/v0/token', { method: 'POST', headers: { ...JSON_TYPE, ...forged }, body, from })
        expect(answer.status).toBe(401)
        return Number(/"login";r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1])
      }
      const [first, second] = ['127.0.9.1', '127.0.9.2']
      const most = await left(first)
      const forged = { 'CF-Connecting-IP': second, 'MF-CF-Blob': JSON.stringify({ clientIp: `${second}:1` }) }
      expect(await left(first, { 'X-Forwarded-For': second, ...forged })).toBe(most - 1)
      expect(await left(first, { 'X-Forwarded-For': `${second}, 127.0.0.1`, 'X-Real-IP': second })).toBe(most - 2)
      expect(await left(second)).toBe(most)
    })

    it('the probe finds nothing wrong, and skips nothing', async () => {
      const place = ({ protocol }: URL) => ({ host: running.address, port: protocol === 'https:' ? 443 : 80 })
      const through = asker({ place, ca: [WHOLE_CERTIFICATE.cert] })
      const look = async () => {
        const target = await readTarget(`https://${API}`, `${CHAIN}:${txids.join(',')}`, through, Date.now())
        return target.health.minute === undefined ? undefined : target
      }
      await expect.poll(look).toBeDefined()
      const target = await look()
      const findings = target === undefined ? [] : await probe(target)
      expect(findings.filter(({ outcome }) => outcome !== 'ok')).toEqual([])
      expect(findings).not.toEqual([])
    })
  })
})
