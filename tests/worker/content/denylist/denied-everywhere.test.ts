import { env, exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'
import type { CID } from 'multiformats/cid'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { storeItem } from '../../../kit/store-item.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'
import { DOH_URL, scriptedResolver } from '../../scripted-resolver.ts'
import { signIn } from '../../sign-in.ts'
import { DagFixture } from '../ipfs/dag-fixture.ts'
import { carOf } from '../ipfs/write-car.ts'

const nodes = useScriptedNodes()
const node = nodes['nativecoin.test']
const resolver = scriptedResolver({})
let moderator: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  moderator = await signIn('admin')
  const mock = vi.mocked(globalThis.fetch)
  const askNode = mock.getMockImplementation() ?? fetch
  mock.mockImplementation((input, init) =>
    String(input).startsWith(DOH_URL) ? resolver.fetch(input) : askNode(input, init),
  )
})

interface Content {
  /** What can be denied of it, and each way to ask for it. */
  denials: { kind: string; value: string }[]
  requests: Record<string, () => Promise<Response>>
}

const get = (url: string) => () => exports.default.fetch(url, { redirect: 'manual' })
const post = (path: string, body: unknown) => () =>
  exports.default.fetch(`https://api.example${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
const head = (url: string) => () => exports.default.fetch(url, { method: 'HEAD' })

function hostOf(item: string): string {
  const host = `www.${item}.example`
  resolver.zone = { ...resolver.zone, [host]: [['CNAME', `${item}.storage.example`]] }
  return host
}

function linkOf(root: CID): string {
  const host = `${String(root).slice(-20)}.example`
  resolver.zone = { ...resolver.zone, [`_dnslink.${host}`]: [['TXT', `dnslink=/ipfs/${root}`]] }
  return host
}

const waysToItem = (item: string): Content['requests'] => ({
  'GET /v0/content/<object_id>': get(`https://api.example/v0/content/${item}`),
  'HEAD /v0/content/<object_id>': head(`https://api.example/v0/content/${item}`),
  'HEAD /v0/blob/<object_id>': head(`https://api.example/v0/blob/${item}`),
  '<object_id>.<storage host>': get(`https://${item}.storage.example/`),
  'a domain': get(`https://${hostOf(item)}/`),
})

async function onChain(): Promise<Content> {
  const txids = store([node], brotliCompressSync(Buffer.from(`<p>${crypto.randomUUID()}${'x'.repeat(99)}`)), 30)
  const item = await storeItem(env.DB, { blockchain: 'Nativecoin', txids })
  const [first = ''] = txids
  const body = { blockchain: 'Nativecoin', txids }
  return {
    denials: [
      { kind: 'txid', value: first },
      { kind: 'txid', value: first.toUpperCase() },
    ],
    requests: {
      'POST /v0/blob': post('/v0/blob', body),
      'POST /v0/web': post('/v0/web', body),
      'POST /v0/tx': post('/v0/tx', body),
      'GET /v0/web/<txids>': get(`https://api.example/v0/web/Nativecoin/${txids}`),
      'GET /v0/tx/<txids>': get(`https://api.example/v0/tx/Nativecoin/${txids}`),
      'GET /v0/chunk/<txid>': get(`https://api.example/v0/chunk/Nativecoin/${first}`),
      ...waysToItem(item),
    },
  }
}

async function onIpfs(): Promise<Content> {
  const dag = new DagFixture()
  const page = `<p>${crypto.randomUUID()}`
  const root = await dag.addDirectory({ 'index.html': page, 'a/index.html': page })
  await dag.store()
  const item = await storeItem(env.DB, { blockchain: 'IPFS', cid: String(root) })
  const index = await dag.addFile(page)
  return {
    denials: [
      { kind: 'cid', value: String(root) },
      // What the directory shows, and no part of any path.
      { kind: 'cid', value: String(index) },
    ],
    requests: {
      'GET /ipfs/<cid>/': get(`https://storage.example/ipfs/${root}/`),
      'GET /ipfs/<cid>/ on the API host': get(`https://api.example/ipfs/${root}/`),
      'GET /ipfs/<cid>/path': get(`https://storage.example/ipfs/${root}/a/index.html`),
      'GET /ipfs/hex/<cid>/path': get(`https://storage.example/ipfs/hex/${root}/index.html`),
      '<cid>.ipfs.<storage host>': get(`https://${root}.ipfs.storage.example/`),
      'GET /ipns/<DNSLink>': get(`https://storage.example/ipns/${linkOf(root)}/`),
      '<DNSLink>.ipns.<storage host>': get(`https://${linkOf(root).replaceAll('.', '-')}.ipns.storage.example/a/`),
      'GET /ipfs/<cid>/?format=car': get(`https://storage.example/ipfs/${root}/?format=car`),
      ...Object.fromEntries(Object.entries(waysToItem(item)).filter(([way]) => !way.startsWith('HEAD'))),
    },
  }
}

async function change(method: 'PUT' | 'DELETE', denial: Content['denials'][number]): Promise<void> {
  const response = await exports.default.fetch('https://api.example/v0/denied', {
    method,
    headers: { ...moderator.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...denial, reason: 'a court order' }),
  })
  expect(response.status).toBe(204)
}

async function statuses({ requests }: Content): Promise<Record<string, number>> {
  const answers: Record<string, number> = {}
  for (const [way, ask] of Object.entries(requests)) {
    const response = await ask()
    await response.arrayBuffer()
    answers[way] = response.status
  }
  return answers
}

const all = ({ requests }: Content, status: number) =>
  Object.fromEntries(Object.keys(requests).map((way) => [way, status]))

describe.each([
  ['content on a chain', onChain],
  ['content on IPFS', onIpfs],
])('R18: %s', (_, make) => {
  it('is 451 on every route and host once it is denied though cached everywhere, and back when that is lifted', async () => {
    const content = await make()
    for (const denial of content.denials) {
      // Twice: from its source, then from the caches.
      for (let times = 0; times < 2; times++) expect(await statuses(content)).toEqual(all(content, 200))
      await change('PUT', denial)
      expect(await statuses(content)).toEqual(all(content, 451))
      await change('DELETE', denial)
    }
    expect(await statuses(content)).toEqual(all(content, 200))
  })

  it('is 451 before anything asks for it, and its source is not asked', async () => {
    const content = await make()
    await change('PUT', content.denials[0] ?? { kind: '', value: '' })
    expect(await statuses(content)).toEqual(all(content, 451))
    expect(node.requests).toEqual([])
  })
})

async function siteOnChain() {
  const dag = new DagFixture()
  const page = `<p>${crypto.randomUUID()}`
  const root = await dag.addDirectory({ 'index.html': page, 'a.txt': 'A' })
  await dag.store()
  const txids = store([node], brotliCompressSync(await carOf(dag, [root])), 100)
  const mimetype = 'inode/directory'
  const item = await storeItem(env.DB, { blockchain: 'Nativecoin', mimetype, txids, cid: String(root) })
  const cid = String(await dag.addFile(page))
  const file = await storeItem(env.DB, { blockchain: 'Nativecoin', cid })
  await env.DB.batch([
    env.DB.prepare('UPDATE items SET directory_of = ?1 WHERE id = ?1').bind(item),
    env.DB.prepare('UPDATE items SET part_of = ? WHERE id = ?').bind(item, file),
  ])
  const content: Content = {
    denials: [
      { kind: 'txid', value: txids.at(-1) ?? '' },
      { kind: 'item', value: item },
      { kind: 'cid', value: String(root) },
    ],
    requests: {
      'POST /v0/blob': post('/v0/blob', { blockchain: 'Nativecoin', txids }),
      'POST /v0/web': post('/v0/web', { blockchain: 'Nativecoin', txids }),
      'GET /v0/web/<txids>/<path>': get(`https://api.example/v0/web/Nativecoin/${txids}/a.txt`),
      'GET /v0/content/<file id>': get(`https://api.example/v0/content/${file}`),
      'GET /ipfs/<cid>/<path>': get(`https://storage.example/ipfs/${root}/a.txt`),
      '<cid>.ipfs.<storage host>': get(`https://${root}.ipfs.storage.example/`),
      ...waysToItem(item),
    },
  }
  return { content, item, txids }
}

describe('a website on a chain', () => {
  it('is 451 by every name once any of them is denied, and back when that is lifted', async () => {
    const { content } = await siteOnChain()
    for (const denial of content.denials) {
      for (let times = 0; times < 2; times++) expect(await statuses(content)).toEqual(all(content, 200))
      await change('PUT', denial)
      expect([denial.kind, await statuses(content)]).toEqual([denial.kind, all(content, 451)])
      await change('DELETE', denial)
    }
    expect(await statuses(content)).toEqual(all(content, 200))
  })

  it('is 451 until the last of its names is lifted, by a txid that was folded too', async () => {
    const { content, item, txids } = await siteOnChain()
    const [first = '', second = ''] = txids
    await env.DB.prepare("UPDATE item_txids SET packed = unhex(txids), txids = '' WHERE item_id = ?").bind(item).run()
    await change('PUT', { kind: 'txid', value: first })
    await change('PUT', { kind: 'txid', value: second })
    await change('DELETE', { kind: 'txid', value: first })
    expect(await statuses(content)).toEqual(all(content, 451))
    await change('DELETE', { kind: 'txid', value: second })
    expect(await statuses(content)).toEqual(all(content, 200))
  })

  it('stays 451 by its CID where that was denied by itself', async () => {
    const { content, txids } = await siteOnChain()
    const [txid = ''] = txids
    await change('PUT', content.denials.at(-1) ?? { kind: '', value: '' })
    await change('PUT', { kind: 'txid', value: txid })
    await change('DELETE', { kind: 'txid', value: txid })
    expect(await statuses(content)).toEqual(all(content, 451))
  })
})

describe('a denied item', () => {
  it('is 451 by its object id and on its hosts, while its transactions stand', async () => {
    const txids = store([node], brotliCompressSync(Buffer.from(`<p>${crypto.randomUUID()}`)))
    const item = await storeItem(env.DB, { blockchain: 'Nativecoin', txids })
    const content = { denials: [], requests: waysToItem(item) }
    expect(await statuses(content)).toEqual(all(content, 200))
    await change('PUT', { kind: 'item', value: item })
    expect(await statuses(content)).toEqual(all(content, 451))
    expect((await post('/v0/blob', { blockchain: 'Nativecoin', txids })()).status).toBe(200)
  })

  it('says so in an error as any other, that nobody keeps', async () => {
    const item = await storeItem(env.DB, { blockchain: 'Nativecoin', txids: store([node], Uint8Array.of(1)) })
    await change('PUT', { kind: 'item', value: item })
    for (const ask of [get(`https://api.example/v0/content/${item}`), get(`https://${item}.storage.example/`)]) {
      const response = await ask()
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(await response.json()).toEqual({ code: 'denied', message: expect.any(String) })
    }
  })
})
