import { env, exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { placeOfPage } from '../../../worker/hosts/redirect-navigations.ts'
import { storeItem } from '../../kit/store-item.ts'
import { DagFixture } from '../content/ipfs/dag-fixture.ts'
import { store, useScriptedNodes } from '../scripted-node.ts'

const nodes = useScriptedNodes()
const API = 'https://api.example'
const STORAGE = 'https://storage.example'
const NAVIGATE = { 'Sec-Fetch-Mode': 'navigate' }
const html = () => `<!doctype html><title>${crypto.randomUUID()}</title>`
const storePage = () => store([nodes['bitcoin-a.test']], brotliCompressSync(html())).join(',')

async function storeFiles(files: Record<string, string>): Promise<string> {
  const dag = new DagFixture()
  const cid = await dag.addDirectory(files)
  await dag.store()
  return String(cid)
}

const ask = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  exports.default.fetch(url, { method, headers, redirect: 'manual' })

async function expectMove(path: string, place: string): Promise<void> {
  const first = await ask(`${API}${path}`, NAVIGATE)
  expect((await ask(`${API}${path}`)).status).toBe(200)
  // The second time the page itself is in memory.
  for (const moved of [first, await ask(`${API}${path}`, NAVIGATE)]) {
    expect([moved.status, moved.headers.get('Location'), await moved.text()]).toEqual([302, place, ''])
    expect(moved.headers.get('Cache-Control')).toBe('no-store')
    expect(moved.headers.get('Vary')).toBe('Sec-Fetch-Mode')
    expect(moved.headers.has('Content-Type')).toBe(false)
    expect(moved.headers.has('ETag')).toBe(false)
  }
}

describe('R3: a browser that opens HTML of strangers on the API host', () => {
  it('is sent from a page on a chain to the storage apex', async () => {
    const txids = storePage()
    await expectMove(`/v0/web/Bitcoin/${txids}?a=b`, `${STORAGE}/web/Bitcoin/${txids}?a=b`)
  })

  it('is sent from an item to its own host', async () => {
    const onChain = await storeItem(env.DB, {
      blockchain: 'Bitcoin',
      mimetype: 'text/html',
      txids: storePage().split(','),
    })
    await expectMove(`/v0/content/${onChain}`, `https://${onChain}.storage.example/`)
    const cid = await storeFiles({ 'index.html': html() })
    const directory = await storeItem(env.DB, { blockchain: 'IPFS', mimetype: 'inode/directory', cid })
    await expectMove(`/v0/content/${directory}`, `https://${directory}.storage.example/`)
  })

  it('is sent from a path of IPFS to the same path of the storage apex', async () => {
    const cid = await storeFiles({ 'index.html': html(), 'a b.html': html(), 'list/one.txt': 'x' })
    await expectMove(`/ipfs/${cid}/`, `${STORAGE}/ipfs/${cid}/`)
    await expectMove(`/ipfs/${cid}/a%20b.html?x=1`, `${STORAGE}/ipfs/${cid}/a%20b.html?x=1`)
    await expectMove(`/ipfs/${cid}/list/`, `${STORAGE}/ipfs/${cid}/list/`)
  })

  it('is sent there however the path is spelled', async () => {
    const txids = storePage()
    await expectMove(`/v0/%77eb/Bitcoin/${txids}`, `${STORAGE}/web/Bitcoin/${txids}`)
    await expectMove(
      `/%760/web/%42itcoin/%${(txids.charCodeAt(0)).toString(16)}${txids.slice(1)}`,
      `${STORAGE}/web/Bitcoin/${txids}`,
    )
    const item = await storeItem(env.DB, {
      blockchain: 'Bitcoin',
      mimetype: 'text/html',
      txids: storePage().split(','),
    })
    await expectMove(
      `/v0/content/%${item.charCodeAt(0).toString(16)}${item.slice(1)}`,
      `https://${item}.storage.example/`,
    )
    const cid = await storeFiles({ 'index.html': html() })
    for (const path of [`/%69pfs/${cid}/`, `/ipf%73/${cid}/`])
      expect((await ask(`${API}${path}`, NAVIGATE)).status).toBe(400)
  })

  it('does not see here what it read by other means', async () => {
    const path = `/v0/web/Bitcoin/${storePage()}`
    const etag = (await ask(`${API}${path}`)).headers.get('ETag') ?? ''
    expect((await ask(`${API}${path}`, { 'If-None-Match': etag })).status).toBe(304)
    expect((await ask(`${API}${path}`, { ...NAVIGATE, 'If-None-Match': etag })).status).toBe(302)
  })
})

describe('R29: a cache that has HTML of strangers of the API host', () => {
  const varies = (response: Response) =>
    (response.headers.get('Vary') ?? '').split(',').some((name) => name.trim() === 'Sec-Fetch-Mode')

  it('keeps what a script was given from a browser that opens the page', async () => {
    const cid = await storeFiles({ 'index.html': html(), 'a.txt': 'text' })
    const item = await storeItem(env.DB, {
      blockchain: 'Bitcoin',
      mimetype: 'text/html',
      txids: storePage().split(','),
    })
    for (const path of [`/v0/web/Bitcoin/${storePage()}`, `/v0/content/${item}`, `/ipfs/${cid}/`]) {
      const first = await ask(`${API}${path}`)
      const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' }
      const answers = [first, await ask(`${API}${path}`), await ask(`${API}${path}`, {}, 'HEAD')]
      const known = [await ask(`${API}${path}`, headers), await ask(`${API}${path}?again`, headers)]
      expect(answers.map((answer) => [path, answer.status, varies(answer)])).toEqual(Array(3).fill([path, 200, true]))
      expect(known.map((answer) => [path, answer.status, varies(answer)])).toEqual(Array(2).fill([path, 304, true]))
    }
    expect(varies(await ask(`${API}/ipfs/${cid}/a.txt`))).toBe(false)
  })
})

describe('R28: what a browser shows as a page though it is not called HTML', () => {
  const page = '<html xmlns="http://www.w3.org/1999/xhtml"><form action="https://evil.example"/></html>'

  it.each([['application/xml'], ['text/xml; charset=utf-8'], ['application/rss+xml'], ['application/xhtml+xml']])(
    'is moved as HTML is: %s',
    async (mimetype) => {
      const txids = store([nodes['bitcoin-a.test']], brotliCompressSync(page))
      const id = await storeItem(env.DB, { blockchain: 'Bitcoin', mimetype, txids })
      await expectMove(`/v0/content/${id}`, `https://${id}.storage.example/`)
    },
  )
})

describe('R28: an SVG picture, which may hold a form', () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><form xmlns="http://www.w3.org/1999/xhtml"/></foreignObject></svg>'

  it('is moved when a browser opens it, and not when a page shows it', async () => {
    const cid = await storeFiles({ 'a.svg': svg })
    await expectMove(`/ipfs/${cid}/a.svg`, `${STORAGE}/ipfs/${cid}/a.svg`)
    const shown = await ask(`${API}/ipfs/${cid}/a.svg`, { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' })
    expect([shown.status, shown.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
    expect(shown.headers.get('Vary')).toContain('Sec-Fetch-Mode')
    const txids = store([nodes['bitcoin-a.test']], brotliCompressSync(svg))
    const id = await storeItem(env.DB, { blockchain: 'Bitcoin', mimetype: 'image/svg+xml', txids })
    await expectMove(`/v0/content/${id}`, `https://${id}.storage.example/`)
  })
})

describe('nothing is moved', () => {
  it('for other requests than navigations', async () => {
    const path = `/v0/web/Bitcoin/${storePage()}`
    for (const mode of ['cors', 'no-cors', 'same-origin']) {
      expect((await ask(`${API}${path}`, { 'Sec-Fetch-Mode': mode })).status).toBe(200)
    }
    expect((await ask(`${API}${path}`, NAVIGATE, 'HEAD')).status).toBe(200)
    const body = JSON.stringify({ blockchain: 'Bitcoin', txids: [path.split('/').at(-1)] })
    const headers = { ...NAVIGATE, 'Content-Type': 'application/json' }
    const posted = await exports.default.fetch(`${API}/v0/web`, { method: 'POST', headers, body })
    expect([posted.status, posted.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
  })

  it('that is no page', async () => {
    const cid = await storeFiles({ 'a.txt': 'text' })
    expect((await ask(`${API}/ipfs/${cid}/a.txt`, NAVIGATE)).status).toBe(200)
    expect((await ask(`${API}/ipfs/hex/${cid}/a.txt`, NAVIGATE)).status).toBe(200)
    const txid = storePage().split(',')[0]
    expect((await ask(`${API}/v0/chunk/Bitcoin/${txid}`, NAVIGATE)).status).toBe(200)
  })

  it('that is not of strangers', async () => {
    for (const path of ['/docs', '/console', `/v0/content/${'0'.repeat(24)}`]) {
      const response = await ask(`${API}${path}`, { ...NAVIGATE, Accept: 'text/html' })
      expect([path, response.headers.get('Location')]).toEqual([path, null])
    }
  })

  it('on the hosts that pages have', async () => {
    const txids = storePage()
    const cid = await storeFiles({ 'index.html': html() })
    for (const url of [
      `${STORAGE}/web/Bitcoin/${txids}`,
      `${STORAGE}/ipfs/${cid}/`,
      `https://${cid}.ipfs.storage.example/`,
    ]) {
      expect((await ask(url, NAVIGATE)).status).toBe(200)
      expect((await ask(url, NAVIGATE)).status).toBe(200)
    }
  })
})

describe('/web of the storage apex', () => {
  it('answers what /v0/web of the API host does', async () => {
    const path = `/web/Bitcoin/${storePage()}`
    for (const headers of [{}, { 'Accept-Encoding': 'br' }, { Range: 'bytes=0-3' }]) {
      const [there, here] = [await ask(`${API}/v0${path}`, headers), await ask(`${STORAGE}${path}`, headers)]
      // The API host moves navigations, and says so.
      const described = (response: Response) =>
        [...response.headers]
          .filter(([name]) => name !== 'server-timing')
          .map(([name, value]) => [name, value.replace(', Sec-Fetch-Mode', '')])
          .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
      expect([here.status, described(here)]).toEqual([there.status, described(there)])
      expect(await here.text()).toBe(await there.text())
    }
  })

  it('refuses as that does, and has no other method', async () => {
    expect((await ask(`${STORAGE}/web/Bitcoin/${'0'.repeat(64)}`)).status).toBe(404)
    expect((await ask(`${STORAGE}/web/bitcoin/${'0'.repeat(64)}`)).status).toBe(400)
    expect((await ask(`${STORAGE}/web/Bitcoin/${'0'.repeat(64)}`, {}, 'POST')).status).toBe(405)
    expect((await ask(`${STORAGE}/web`)).status).toBe(404)
    expect((await ask(`${STORAGE}/web/Bitcoin/${'0'.repeat(64)}`, {}, 'OPTIONS')).status).toBe(204)
  })
})

it('leaves pages where they are whose place would be the same host', () => {
  const config = { baseUrl: new URL('https://one.example'), storageHost: 'one.example' }
  const place = (path: string) => placeOfPage({ pathname: path, search: '' }, path, config)
  expect(place('/ipfs/bafy')).toBeUndefined()
  expect(place(`/v0/web/Bitcoin/${'ab'.repeat(32)}`)).toBeUndefined()
  expect(place(`/v0/content/${'ab'.repeat(12)}`)).toBe(`https://${'ab'.repeat(12)}.one.example/`)
})
