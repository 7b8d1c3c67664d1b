import { env, exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { storeItem } from '../../../kit/store-item.ts'
import { DagFixture } from '../../content/ipfs/dag-fixture.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'

// One way to answer for all that is read: a chain, an item on a chain, an item on IPFS, IPFS itself, a built file.

const nodes = useScriptedNodes()
const chain = [nodes['nativecoin.test']]
const PAGE = `<!doctype html><p>${'one and the same page '.repeat(40)}`
const dag = new DagFixture()
let cid: string

beforeAll(async () => {
  cid = String(await dag.addFile(PAGE))
  await dag.store()
})

const stored = () => store(chain, brotliCompressSync(Buffer.from(PAGE)), 60)
const KINDS: [string, () => Promise<string> | string][] = [
  ['content of a chain', () => `/v0/web/Nativecoin/${stored()}`],
  [
    'an item on a chain',
    async () => `/v0/content/${await storeItem(env.DB, { blockchain: 'Nativecoin', txids: stored() })}`,
  ],
  ['an item on IPFS', async () => `/v0/content/${await storeItem(env.DB, { blockchain: 'IPFS', cid })}`],
  ['a file on IPFS', () => `/ipfs/${cid}`],
  ['a file on IPFS as hex', () => `/ipfs/hex/${cid}`],
  ['a part of the page helper', () => '/hook.js'],
]

const ask = (path: string, method: string, headers: Record<string, string> = {}) =>
  exports.default.fetch(`https://api.example${path}`, { method, headers })

/** Every field but the one that says which cache had the content. */
const fields = ({ headers }: Response) => Object.fromEntries([...headers].filter(([name]) => name !== 'server-timing'))

/** Metadata of the content, which a client that has it has as well (RFC 9110, 15.4.5). */
const OF_CONTENT = ['content-type', 'content-encoding', 'content-language', 'content-length', 'content-disposition']

describe.each(KINDS)('%s', (_, prepare) => {
  it.each(['', 'br'])('says to HEAD what it says to GET, its length included (Accept-Encoding: %s)', async (accept) => {
    const path = await prepare()
    const get = await ask(path, 'GET', { 'Accept-Encoding': accept })
    const head = await ask(path, 'HEAD', { 'Accept-Encoding': accept })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(fields(head)).toEqual(fields(get))
    expect(head.headers.get('Content-Length')).toMatch(/^[1-9]\d*$/)
    await get.body?.cancel()
  })

  it.each(['GET', 'HEAD'])(
    'is a 304 by %s for who has it: every field of the 200 but those of the content',
    async (m) => {
      const path = await prepare()
      for (const accept of ['', 'br']) {
        const whole = await ask(path, m, { 'Accept-Encoding': accept })
        const etag = whole.headers.get('ETag') ?? ''
        const kept = await ask(path, m, { 'Accept-Encoding': accept, 'If-None-Match': `"other", W/${etag}` })
        expect([kept.status, await kept.text()]).toEqual([304, ''])
        const expected = Object.entries(fields(whole)).filter(([name]) => !OF_CONTENT.includes(name))
        expect(fields(kept)).toEqual(Object.fromEntries(expected))
        expect(kept.headers.get('Cache-Control')).toBeTruthy()
        await whole.body?.cancel()
      }
    },
  )

  it('comes in parts, of which HEAD says the same', async () => {
    const path = await prepare()
    const whole = await (await ask(path, 'GET', { 'Accept-Encoding': 'identity' })).bytes()
    const part = await ask(path, 'GET', { Range: 'bytes=3-9', 'Accept-Encoding': 'br' })
    expect(part.status).toBe(206)
    expect(part.headers.get('Content-Range')).toBe(`bytes 3-9/${whole.length}`)
    expect(part.headers.get('Content-Length')).toBe('7')
    expect(part.headers.has('Content-Encoding')).toBe(false)
    expect(await part.bytes()).toEqual(whole.slice(3, 10))
    const head = await ask(path, 'HEAD', { Range: 'bytes=3-9', 'Accept-Encoding': 'br' })
    expect([head.status, await head.text()]).toEqual([206, ''])
    expect(fields(head)).toEqual(fields(part))
  })

  it('comes in parts only where If-Range still names it', async () => {
    const path = await prepare()
    const whole = await ask(path, 'GET', { 'Accept-Encoding': 'identity' })
    await whole.body?.cancel()
    const etag = whole.headers.get('ETag') ?? ''
    for (const [tag, status] of [
      [etag, 206],
      [`W/${etag}`, 200],
      ['"other"', 200],
    ] as const) {
      const response = await ask(path, 'GET', { Range: 'bytes=0-1', 'If-Range': tag })
      expect([tag, response.status]).toEqual([tag, status])
      await response.body?.cancel()
    }
  })

  it('refuses a range outside of it with its size, and says nothing else of it', async () => {
    const path = await prepare()
    const { length } = await (await ask(path, 'GET', { 'Accept-Encoding': 'identity' })).bytes()
    const refused = await ask(path, 'GET', { Range: `bytes=${length}-` })
    expect([refused.status, refused.headers.get('Content-Range')]).toEqual([416, `bytes */${length}`])
    expect(refused.headers.get('Content-Type')).toBe('application/json')
    expect(refused.headers.get('Cache-Control')).toBe('no-store')
    for (const name of ['ETag', 'Content-Encoding', 'Content-Disposition'])
      expect(refused.headers.has(name)).toBe(false)
    expect(await refused.json()).toEqual({ message: expect.any(String), code: 'range_not_satisfiable' })
    const head = await ask(path, 'HEAD', { Range: `bytes=${length}-` })
    expect([head.status, await head.text()]).toEqual([416, ''])
  })
})

describe('content of a chain by POST', () => {
  it('comes whole, whatever the client has or wants of it', async () => {
    const body = JSON.stringify({ blockchain: 'Nativecoin', txids: stored() })
    const headers = { 'Content-Type': 'application/json', 'If-None-Match': '*', Range: 'bytes=0-1' }
    for (const turn of ['cold', 'warm']) {
      const response = await exports.default.fetch('https://api.example/v0/web', { method: 'POST', headers, body })
      expect([turn, response.status, await response.text()]).toEqual([turn, 200, PAGE])
      expect(response.headers.has('Accept-Ranges')).toBe(false)
    }
  })
})

describe('HEAD /v0/blob of an item', () => {
  const sayings = ({ headers }: Response) => ['Content-Type', 'Content-Length', 'ETag'].map((name) => headers.get(name))

  it.each([false, true])(
    'says of a directory what its index is, and of a CAR what is in it (CAR: %s)',
    async (isCar) => {
      const site = new DagFixture()
      const root = String(await site.addDirectory({ 'index.html': PAGE }))
      await site.store()
      const mimetype = isCar ? 'text/html' : 'inode/directory'
      const id = await storeItem(env.DB, { blockchain: 'IPFS', mimetype, cid: root })
      if (isCar) await env.DB.prepare("UPDATE items SET upload_kind = 'car', size = 9999 WHERE id = ?").bind(id).run()
      const [head, hex, page] = await Promise.all([
        ask(`/v0/blob/${id}`, 'HEAD'),
        ask(`/ipfs/hex/${root}`, 'HEAD'),
        ask(`/v0/content/${id}`, 'HEAD'),
      ])
      expect([head.status, await head.text()]).toEqual([200, ''])
      expect(sayings(head)).toEqual([
        page.headers.get('Content-Type'),
        String(2 * PAGE.length),
        hex.headers.get('ETag'),
      ])
      expect(head.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable, no-transform')
      const etag = head.headers.get('ETag') ?? ''
      expect((await ask(`/v0/blob/${id}`, 'HEAD', { 'If-None-Match': etag })).status).toBe(304)
    },
  )

  it('says of a directory without an index what the page that lists it is, whatever the client takes', async () => {
    const folder = new DagFixture()
    const root = String(await folder.addDirectory({ 'a.txt': 'a' }))
    await folder.store()
    const id = await storeItem(env.DB, { blockchain: 'IPFS', mimetype: 'inode/directory', cid: root })
    const head = await ask(`/v0/blob/${id}`, 'HEAD', { Accept: 'application/vnd.ipld.car', 'Accept-Encoding': 'br' })
    const page = await ask(`/v0/content/${id}`, 'GET', { 'Accept-Encoding': 'identity' })
    const { byteLength } = await page.arrayBuffer()
    const etag = page.headers.get('ETag')?.replace(/"$/, '.hex"')
    expect(sayings(head)).toEqual(['text/html; charset=utf-8', String(2 * byteLength), etag])
  })

  it('has no GET, which names what has', async () => {
    const refused = await ask(`/v0/blob/${'a'.repeat(24)}`, 'GET')
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'HEAD'])
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('/v0/content/<object id>') })
  })
})
