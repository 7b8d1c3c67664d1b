import { env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseDeniedValue } from '../../../../worker/content/denylist/denied-value.ts'
import { expireDenylist } from '../../../../worker/content/denylist/denylist.ts'
import { insertDenied } from '../../../../worker/features/reports/sql/deny.ts'
import { storeItem } from '../../../kit/store-item.ts'
import { DagFixture } from '../../content/ipfs/dag-fixture.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'
import { DOH_URL, type ScriptedResolver, scriptedResolver } from '../../scripted-resolver.ts'

const nodes = useScriptedNodes()
const bitcoin = [nodes['bitcoin-a.test'], nodes['bitcoin-b.test']]
const API = 'https://api.example'
const text = () => `<!doctype html><p>${crypto.randomUUID().repeat(20)}</p>`
const page = () => brotliCompressSync(text())

/** Headers without the one that tells the tiers apart. */
function headersOf(response: Response): [string, string][] {
  return [...response.headers].filter(([name]) => name !== 'server-timing').sort()
}

const tier = (response: Response) => /desc=(\w+)/.exec(response.headers.get('Server-Timing') ?? '')?.[1]

interface Asked {
  path: string
  init: RequestInit<IncomingRequestCfProperties>
}

function post(path: string, txids: string[], acceptEncoding = ''): Asked {
  const cf = { clientAcceptEncoding: acceptEncoding } as IncomingRequestCfProperties
  const body = JSON.stringify({ blockchain: 'Bitcoin', txids })
  return { path, init: { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, cf } }
}

function get(path: string, headers: Record<string, string> = {}, method = 'GET', acceptEncoding = ''): Asked {
  const cf = { clientAcceptEncoding: acceptEncoding } as IncomingRequestCfProperties
  return { path, init: { method, headers, cf, redirect: 'manual' } }
}

const ask = ({ path, init }: Asked) =>
  exports.default.fetch(new Request(URL.canParse(path) ? path : `${API}${path}`, init))

async function deny(kind: 'txid' | 'item' | 'cid', value: string): Promise<void> {
  const entry = { ...parseDeniedValue(kind, value), reason: 'test', deniedBy: 'moderator' }
  await insertDenied(env.DB, entry, Date.now())
  expireDenylist()
}

const item = () => storeItem(env.DB, { blockchain: 'Bitcoin', txids: store(bitcoin, page()) })

async function storeFile(content = text()): Promise<string> {
  const dag = new DagFixture()
  const cid = await dag.addFile(content)
  await dag.store()
  return String(cid)
}

async function storeSite(): Promise<string> {
  const dag = new DagFixture()
  const cid = await dag.addDirectory({ 'index.html': text(), 'a/plain.txt': crypto.randomUUID() })
  await dag.store()
  return String(cid)
}

const ipfsItem = async () => storeItem(env.DB, { blockchain: 'IPFS', cid: await storeFile() })
const siteItem = async () =>
  storeItem(env.DB, { blockchain: 'IPFS', mimetype: 'inode/directory', cid: await storeSite() })

let resolver: ScriptedResolver
beforeEach(() => {
  resolver = scriptedResolver({})
  const mock = vi.mocked(globalThis.fetch)
  const askNode = mock.getMockImplementation() ?? fetch
  mock.mockImplementation((input, init) =>
    String(input).startsWith(DOH_URL) ? resolver.fetch(input) : askNode(input, init),
  )
})
afterEach(() => void vi.useRealTimers())

let serial = 0
/** A host of somebody's own that shows the item. */
function pointHostAt(id: string): string {
  const host = `www.warm-${++serial}.example`
  resolver.zone = { ...resolver.zone, [host]: [['CNAME', `${id}.storage.example`]] }
  return `https://${host}/`
}

const cases: [string, () => Promise<Asked> | Asked][] = [
  ['POST /v0/blob', () => post('/v0/blob', store(bitcoin, page()))],
  ['POST /v0/web, raw', () => post('/v0/web', store(bitcoin, page()))],
  ['POST /v0/web, as Brotli', () => post('/v0/web', store(bitcoin, page()), 'gzip, br')],
  ['POST /v0/tx', () => post('/v0/tx', store(bitcoin, page()))],
  ['GET /v0/web', () => get(`/v0/web/Bitcoin/${store(bitcoin, page())}`)],
  ['HEAD /v0/web', () => get(`/v0/web/Bitcoin/${store(bitcoin, page())}`, {}, 'HEAD')],
  ['GET /v0/chunk', () => get(`/v0/chunk/Bitcoin/${store(bitcoin, page(), 9_000)}`)],
  ['GET /v0/content', async () => get(`/v0/content/${await item()}`)],
  ['GET /v0/content, as Brotli', async () => get(`/v0/content/${await item()}`, {}, 'GET', 'br')],
  ['GET /v0/content, a range', async () => get(`/v0/content/${await item()}`, { Range: 'bytes=5-14' })],
  [
    'GET /v0/content, a range beyond its end',
    async () => get(`/v0/content/${await item()}`, { Range: 'bytes=99999-' }),
  ],
  ['GET /v0/content for who has it', async () => get(`/v0/content/${await item()}`, { 'If-None-Match': '*' })],
  ['HEAD /v0/content', async () => get(`/v0/content/${await item()}`, {}, 'HEAD')],
  ['GET /v0/content of an item on IPFS', async () => get(`/v0/content/${await ipfsItem()}`)],
  ['GET /ipfs/<cid>', async () => get(`/ipfs/${await storeFile()}`)],
  ['GET /ipfs/<cid> as bytes', async () => get(`/ipfs/${await storeFile(crypto.randomUUID())}`)],
  ['GET /ipfs/<cid>, as Brotli', async () => get(`/ipfs/${await storeFile()}`, {}, 'GET', 'br')],
  ['GET /ipfs/hex/<cid>', async () => get(`/ipfs/hex/${await storeFile()}`)],
  ['GET /ipfs/<cid> as a block', async () => get(`/ipfs/${await storeFile()}?format=raw`)],
  ['GET /ipfs/<cid> for who has it', async () => get(`/ipfs/${await storeFile()}`, { 'If-None-Match': '*' })],
  ['a page of the path gateway', async () => get(`https://storage.example/ipfs/${await storeSite()}/`)],
  ['a listing', async () => get(`https://storage.example/ipfs/${await storeSite()}/a/`)],
  ['the host of a root', async () => get(`https://${await storeSite()}.ipfs.storage.example/`)],
  ['the host of an item on a chain', async () => get(`https://${await item()}.storage.example/`)],
  ['the host of a directory', async () => get(`https://${await siteItem()}.storage.example/a/plain.txt`)],
  ['a domain that shows an item on a chain', async () => get(pointHostAt(await item()))],
  ['a domain that shows a directory', async () => get(pointHostAt(await siteItem()))],
]

describe('an answer from memory', () => {
  it.each(cases)('is the same as the cold one, with the same headers: %s', async (_, prepare) => {
    const asked = await prepare()
    const cold = await ask(asked)
    const warm = await ask(asked)
    expect(tier(cold)).toMatch(/miss|r2|edge/)
    expect(tier(warm)).toBe('memory')
    expect(warm.status).toBe(cold.status)
    expect(headersOf(warm)).toEqual(headersOf(cold))
    expect(new Uint8Array(await warm.arrayBuffer())).toEqual(new Uint8Array(await cold.arrayBuffer()))
  })

  it('is another one for a client of other encodings', async () => {
    const txids = store(bitcoin, page())
    for (const accept of ['', 'br', '', 'br;q=0', 'br']) {
      const response = await ask(post('/v0/web', txids, accept))
      expect(response.headers.get('Content-Encoding')).toBe(accept === 'br' ? 'br' : null)
    }
  })

  it('is not given to another method', async () => {
    const path = `/v0/web/Bitcoin/${store(bitcoin, page())}`
    await ask(get(path))
    expect((await ask(get(path, {}, 'DELETE'))).status).toBe(405)
    expect((await ask(get(path, {}, 'OPTIONS'))).status).toBe(204)
  })

  it('is not given to the same text sent as something else than JSON', async () => {
    const asked = post('/v0/blob', store(bitcoin, page()))
    expect((await ask(asked)).status).toBe(200)
    const init = { ...asked.init, headers: { 'Content-Type': 'text/plain' } }
    expect((await ask({ ...asked, init })).status).toBe(415)
  })

  it('is not given to bytes that are not UTF-8, which are no JSON', async () => {
    const { path, init } = post('/v0/blob', store(bitcoin, page()))
    const text = String(init.body).replace('{', '{"note":"\ufffd",')
    const broken = Uint8Array.from(Buffer.from(text.replace('\ufffd', '\xff'), 'latin1'))
    expect((await ask({ path, init: { ...init, body: text } })).status).toBe(200)
    const answer = await ask({ path, init: { ...init, body: broken } })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'invalid_json' })
  })

  it('is given after a body that ends within a character, which leaves nothing behind', async () => {
    const { path, init } = post('/v0/blob', store(bitcoin, page()))
    const cut = Uint8Array.from([...new TextEncoder().encode(String(init.body)), 0xe2, 0x82])
    await ask({ path, init })
    expect((await ask({ path, init: { ...init, body: cut } })).status).toBe(400)
    expect((await ask({ path, init })).headers.get('Server-Timing')).toContain('memory')
  })

  it('is not given on another host, where the path means something else', async () => {
    const path = `/v0/web/Bitcoin/${store(bitcoin, page())}`
    await ask(get(path))
    const elsewhere = await exports.default.fetch(`https://storage.example${path}`)
    expect(elsewhere.status).toBe(404)
  })

  it('is refused as soon as one of its transactions is denied', async () => {
    const txids = store(bitcoin, page())
    const id = await storeItem(env.DB, { blockchain: 'Bitcoin', txids })
    const all = [post('/v0/blob', txids), get(`/v0/web/Bitcoin/${txids.join(',')}`), get(`/v0/content/${id}`)]
    for (const asked of all) {
      await ask(asked)
      expect(tier(await ask(asked))).toBe('memory')
    }
    await deny('txid', txids[0] ?? '')
    for (const asked of all) expect((await ask(asked)).status).toBe(451)
  })

  it('of IPFS is refused as soon as its root, or the item that led there, is denied', async () => {
    const [root, id] = [await storeSite(), await siteItem()]
    const hosts = [get(`/ipfs/${root}/`), get(`https://${root}.ipfs.storage.example/`)]
    const item = [get(`https://${id}.storage.example/`), get(pointHostAt(id))]
    for (const asked of [...hosts, ...item]) {
      await ask(asked)
      expect(tier(await ask(asked))).toBe('memory')
    }
    await deny('cid', root)
    for (const asked of hosts) expect((await ask(asked)).status).toBe(451)
    expect(tier(await ask(get(`https://${id}.storage.example/`)))).toBe('memory')
    await deny('item', id)
    for (const asked of item) expect((await ask(asked)).status).toBe(451)
  })

  it.each([
    ['/v0/content', (id: string) => `/v0/content/${id}`],
    ['its own host', (id: string) => `https://${id}.storage.example/`],
    ['a domain', (id: string) => pointHostAt(id)],
  ])('of an item by %s ends within a minute of the item', async (_, pathOf) => {
    const ids = [await item(), await siteItem()]
    const all = ids.map((id) => get(pathOf(id)))
    for (const asked of all) {
      await ask(asked)
      expect(tier(await ask(asked))).toBe('memory')
    }
    for (const id of ids) await env.DB.prepare('UPDATE items SET status = 402 WHERE id = ?').bind(id).run()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    for (const asked of all) expect((await ask(asked)).status).toBe(404)
  })

  it('of a domain ends when what DNS said does', async () => {
    const [first, second] = [await item(), await item()]
    const url = pointHostAt(first)
    const before = await (await ask(get(url))).text()
    expect(tier(await ask(get(url)))).toBe('memory')
    resolver.zone = { ...resolver.zone, [new URL(url).host]: [['CNAME', `${second}.storage.example`]] }
    expect(await (await ask(get(url))).text()).toBe(before)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_700_000 })
    expect(await (await ask(get(url))).text()).not.toBe(before)
  })

  it('of a domain is not given to who came there by http', async () => {
    const url = pointHostAt(await item()).replace('https:', 'http:')
    await ask(get(url))
    expect(tier(await ask(get(url)))).toBe('memory')
    expect((await ask(get(url, { 'CF-Visitor': '{"scheme":"http"}' }))).status).toBe(308)
  })

  it('of a root is not given as a service worker', async () => {
    const path = `/ipfs/${await storeFile()}`
    await ask(get(path))
    expect((await ask(get(path, { 'Service-Worker': 'script' }))).status).toBe(400)
  })

  it('of IPFS is another one for another Accept, and for another host', async () => {
    const root = await storeFile()
    await ask(get(`/ipfs/${root}`))
    const block = await ask(get(`/ipfs/${root}`, { Accept: 'application/vnd.ipld.raw' }))
    expect(block.headers.get('Content-Type')).toBe('application/vnd.ipld.raw')
    const own = await ask(get(`https://${root}.ipfs.storage.example/`))
    expect(own.headers.get('Content-Security-Policy')).toBeNull()
  })
})
