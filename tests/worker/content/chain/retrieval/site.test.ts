import { env } from 'cloudflare:test'
import { brotliCompressSync } from 'node:zlib'
import { CarBufferReader } from '@ipld/car/buffer-reader'
import { decode } from '@ipld/dag-pb'
import { sha256 } from '@noble/hashes/sha2.js'
import { CID } from 'multiformats/cid'
import { sha256 as hasher } from 'multiformats/hashes/sha2'
import { beforeEach, describe, expect, it } from 'vitest'
import { concatBytes, toHex } from '../../../../../protocol/bytes.ts'
import { CODEC } from '../../../../../protocol/cid.ts'
import { encodeContentIndex } from '../../../../../protocol/content-index.ts'
import { parseDeniedValue } from '../../../../../worker/content/denylist/denied-value.ts'
import { expireDenylist } from '../../../../../worker/content/denylist/denylist.ts'
import { insertDenied } from '../../../../../worker/features/reports/sql/deny.ts'
import { clearMemories } from '../../../clear-memories.ts'
import { store, useScriptedNodes } from '../../../scripted-node.ts'
import { DagFixture, randomBytes } from '../../ipfs/dag-fixture.ts'
import { carOf } from '../../ipfs/write-car.ts'
import { get, post } from './ask.ts'

const node = useScriptedNodes()['nativecoin.test']

const FILES = {
  'index.html': '<!doctype html><script src="app/main.js"></script>',
  'app/main.js': 'document.title = "runs"',
  'a b/%25 c.txt': 'spelled',
}

let dag: DagFixture
let root: CID
beforeEach(async () => {
  dag = new DagFixture()
  root = await dag.addDirectory(FILES)
})

/** Puts content on the chain as Brotli; the path of its page. */
function write(content: Uint8Array, step = 99_000) {
  const txids = store([node], brotliCompressSync(content), step)
  return { txids, path: `/v0/web/Nativecoin/${txids.join(',')}` }
}

const text = async (path: string, init = {}) => {
  const response = await get(path, init)
  return [response.status, await response.text()]
}

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

const statuses = (paths: string[]) => Promise.all(paths.map(async (path) => (await get(path)).status))

async function deny(kind: 'txid' | 'cid', value: string): Promise<void> {
  await insertDenied(env.DB, { ...parseDeniedValue(kind, value), reason: 'test', deniedBy: 'moderator' }, Date.now())
  expireDenylist()
}

describe('a website on a chain', () => {
  it.each(['index.htm', 'Index.html', 'default.htm'])('opens with its first page where that is %s', async (name) => {
    const other = new DagFixture()
    const page = `<title>${name}</title>`
    const folder = await other.addDirectory({ [name]: page, [`below/${name}`]: page, 'below/b.txt': 'b' })
    const { path, txids } = write(await carOf(other, [folder]))
    expect(await text(`${path}/`)).toEqual([200, page])
    expect(await text(`${path}/below/`)).toEqual([200, page])
    expect(await (await post('/v0/web', { blockchain: 'Nativecoin', txids })).text()).toBe(page)
  })

  it('is read by its txids, each path with its own type, in the sandbox', async () => {
    const { path } = write(await carOf(dag, [root]))
    const script = await get(`${path}/app/main.js`)
    expect([script.status, await script.text()]).toEqual([200, FILES['app/main.js']])
    expect(script.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('Content-Security-Policy')).toMatch(/^sandbox/)
    expect(script.headers.get('Cache-Control')).toMatch(/immutable/)
    expect(await text(`${path}/`)).toEqual([200, FILES['index.html']])
    expect(await text(`${path}/a%20b/%2525%20c.txt`)).toEqual([200, 'spelled'])
    expect(await text(`${path}/app/main.js`, { headers: { Range: 'bytes=0-7' } })).toEqual([206, 'document'])
  })

  it('moves to the path with a slash, below which its links lead somewhere', async () => {
    const { path } = write(await carOf(dag, [root]))
    const moved = await get(`${path}?x=1`, { redirect: 'manual' })
    expect([moved.status, moved.headers.get('Location')]).toEqual([301, `${path}/?x=1`])
    const folder = await get(`${path}/app`, { redirect: 'manual' })
    expect([folder.status, folder.headers.get('Location')]).toEqual([301, `${path}/app/`])
  })

  it('is its index.html for a POST, again from memory, and its stored bytes as a blob', async () => {
    const car = await carOf(dag, [root])
    const { txids } = write(car)
    for (const _ of ['first', 'again']) {
      const page = await post('/v0/web', { blockchain: 'Nativecoin', txids })
      expect([page.status, await page.text()]).toEqual([200, FILES['index.html']])
      expect(page.headers.get('Content-Type')).toMatch(/^text\/html/)
    }
    const other = write(await carOf(dag, [await dag.addDirectory({ 'index.html': 'another' })]))
    const page = await post('/v0/web', { blockchain: 'Nativecoin', txids: other.txids })
    expect(await page.text()).toBe('another')
    const blob = await post('/v0/blob', { blockchain: 'Nativecoin', txids })
    expect(await blob.text()).toBe(Buffer.from(brotliCompressSync(car)).toString('hex'))
  })

  it('asks no node for a second path, and copies blocks again that are gone', async () => {
    const { path } = write(await carOf(dag, [root]))
    expect(await text(`${path}/`)).toEqual([200, FILES['index.html']])
    node.misbehave = () => new Response(null, { status: 500 })
    clearMemories()
    expect(await text(`${path}/app/main.js`)).toEqual([200, FILES['app/main.js']])
    clearMemories()
    const { objects } = await env.BUCKET.list({ prefix: 'ipfs/cache/' })
    await env.BUCKET.delete(objects.map(({ key }) => key))
    expect(await text(`${path}/a%20b/%2525%20c.txt`)).toEqual([200, 'spelled'])
  })

  it('says 404 of a path that is not there, and of a block that its CAR never had', async () => {
    const { path } = write(await carOf(dag, [root]))
    expect((await get(`${path}/nowhere`)).status).toBe(404)
    const lone = new DagFixture()
    const name = await lone.addDirectory({ 'index.html': crypto.randomUUID() })
    const incomplete = write(await carOf(lone, [name], (cid) => cid.code === CODEC.dagPb))
    expect((await get(`${incomplete.path}/index.html`)).status).toBe(404)
  })

  it('is the bytes it is where one block is not what its CID says, or the root is no directory', async () => {
    const car = await carOf(dag, [root])
    const damaged = concatBytes([car.subarray(0, -1), Uint8Array.of((car.at(-1) ?? 0) ^ 1)])
    const file = new DagFixture()
    const large = await file.addFile(new Uint8Array(3 << 20))
    for (const content of [damaged, car.subarray(0, -1), await carOf(file, [large])]) {
      const { path } = write(content)
      const page = await get(path)
      expect(page.status).toBe(200)
      expect(Buffer.compare(new Uint8Array(await page.arrayBuffer()), content)).toBe(0)
      expect((await get(`${path}/index.html`)).status).toBe(404)
    }
  })

  it('is a CAR that `ipfs dag import` takes: version 1, of one root, each block once and linked', async () => {
    const name = await dag.addDirectory({ ...FILES, large: randomBytes(1_500_000), 'a/b/c.txt': 'far below' })
    const { path } = write(await carOf(dag, [name], (cid) => !cid.equals(root)))
    expect((await get(`${path}/index.html`)).status).toBe(200)
    for (const from of [`${path}/`, `/ipfs/${name}`]) {
      const response = await get(`${from}?format=car`)
      expect(response.headers.get('Content-Type')).toMatch(/^application\/vnd\.ipld\.car/)
      const car = CarBufferReader.fromBytes(await bytesOf(response))
      expect([car.version, car.getRoots().map(String)]).toEqual([1, [String(name)]])
      const blocks = car.blocks()
      for (const { cid, bytes } of blocks) expect(cid).toEqual(CID.createV1(cid.code, await hasher.digest(bytes)))
      const linked = blocks.flatMap(({ cid, bytes }) => (cid.code === CODEC.dagPb ? decode(bytes).Links : []))
      const reachable = new Set([String(name), ...linked.map(({ Hash }) => String(Hash))])
      expect(blocks.map(({ cid }) => String(cid)).sort()).toEqual([...reachable].sort())
    }
  })

  it('has files of some MiB, whether its CAR becomes smaller in Brotli or not', async () => {
    for (const large of [randomBytes(1_500_000), Uint8Array.from({ length: 1_500_000 }, (_, at) => (at * at) >> 11)]) {
      const name = await dag.addDirectory({ 'index.html': 'small', large })
      const { path } = write(await carOf(dag, [name]))
      const read = await get(`${path}/large`)
      expect(Buffer.compare(new Uint8Array(await read.arrayBuffer()), large)).toBe(0)
    }
  })

  it.each(['txid', 'cid', 'index'] as const)(
    'of a stranger is 451 by each way to it once its %s is denied',
    async (denied) => {
      const name = await dag.addDirectory({ 'index.html': crypto.randomUUID(), 'a/b.txt': 'below' })
      const car = await carOf(dag, [name])
      const { txids, path } = write(car, 100)
      const index = {
        type: 'application/vnd.ipld.car',
        size: car.length,
        sha256: toHex(sha256(car)),
        encoding: 'br',
      } as const
      const [txid = ''] = store([node], encodeContentIndex({ ...index, parts: txids }), 99_000)
      const byList = [`${path}/`, `${path}/a/b.txt`]
      const byIndex = [`/v0/web/Nativecoin/${txid}/`, `/v0/web/Nativecoin/${txid}/a/b.txt`]
      const all = async () => ({
        list: await statuses(byList),
        index: await statuses(byIndex),
        posted: (await post('/v0/web', { blockchain: 'Nativecoin', txids })).status,
      })
      expect(await all()).toEqual({ list: [200, 200], index: [200, 200], posted: 200 })
      await deny(denied === 'cid' ? 'cid' : 'txid', { txid: txids[1] ?? '', cid: String(name), index: txid }[denied])
      const list = denied === 'index' ? 200 : 451
      expect(await all()).toEqual({ list: [list, list], index: [451, 451], posted: list })
    },
  )

  it('is not looked for in a page, or below more txids than a path may have', async () => {
    const { path } = write(new TextEncoder().encode('<h1>a page</h1>'))
    expect(await text(path)).toEqual([200, '<h1>a page</h1>'])
    expect((await get(`${path}/index.html`)).status).toBe(404)
    const txids = Array.from({ length: 101 }, () => 'ab'.repeat(32))
    expect((await get(`/v0/web/Nativecoin/${txids}/index.html`)).status).toBe(400)
  })
})
