import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import worker from '../../../../worker/index.ts'
import { storeItem } from '../../../kit/store-item.ts'
import { DagFixture, randomBytes } from '../../content/ipfs/dag-fixture.ts'
import { scriptedResolver } from '../../scripted-resolver.ts'

const INDEX = `<!doctype html><title>Home</title>${'<p>Hello</p>'.repeat(20)}`
const PICTURE = randomBytes(5000)
const FILES = {
  'index.html': INDEX,
  'about/index.html': '<title>About</title>',
  'data.json': '{"a":1}',
  'assets/app.js': 'let a',
  'picture.png': PICTURE,
  '404.html': '<title>Lost</title>',
  _headers: '/*\n  X-Frame-Options: DENY\n  Set-Cookie: a=b\n/assets/*\n  Cache-Control: public, max-age=60\n',
}

async function storeSite(files: Record<string, Uint8Array | string>): Promise<string> {
  const dag = new DagFixture()
  const cid = await dag.addDirectory(files)
  await dag.store()
  return storeItem(env.DB, { blockchain: 'IPFS', mimetype: 'text/html', cid: String(cid) })
}

let site: string
beforeAll(async () => {
  site = await storeSite(FILES)
})

const get = (path: string, init: RequestInit = {}, id = site) =>
  exports.default.fetch(`https://${id}.storage.example${path}`, { redirect: 'manual', ...init })

describe('the host of an IPFS directory', () => {
  it('serves the files and directories of the item', async () => {
    const expected = { '/': INDEX, '/about/': FILES['about/index.html'], '/data.json': '{"a":1}', '/index.html': INDEX }
    for (const [path, body] of Object.entries(expected)) {
      const response = await get(path)
      expect([path, response.status, await response.text()]).toEqual([path, 200, body])
    }
    const picture = await get('/picture.png')
    expect(picture.headers.get('Content-Type')).toBe('image/png')
    expect(new Uint8Array(await picture.arrayBuffer())).toEqual(PICTURE)
  })

  it.each([
    ['index.htm', ['index.htm']],
    ['Index.html', ['Index.html', 'index.htm']],
    ['INDEX.HTML', ['Index.html', 'INDEX.HTML', 'default.htm']],
    ['default.htm', ['default.htm', 'Default.htm']],
    ['index.html', ['index.html', 'Index.html', 'INDEX.HTML', 'index.htm']],
  ])('opens %s as the first page of a folder that has %j', async (first, names) => {
    const pages = Object.fromEntries(names.map((name) => [name, `<title>${name}</title>`]))
    const below = Object.fromEntries(names.map((name) => [`below/${name}`, `<title>${name}</title>`]))
    const id = await storeSite({ ...pages, ...below, 'a.txt': 'a' })
    for (const path of ['/', '/below/']) {
      const response = await get(path, {}, id)
      expect([response.status, await response.text()]).toEqual([200, pages[first]])
      expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
      const etag = response.headers.get('ETag') ?? ''
      expect((await get(path, { headers: { 'If-None-Match': etag } }, id)).status).toBe(304)
    }
    expect((await get('/below?x=1', {}, id)).headers.get('Location')).toBe('/below/?x=1')
  })

  it('lists one that a gateway shows', async () => {
    const dag = new DagFixture()
    const cid = await dag.addDirectory({ 'index.htm': '<title>Old</title>' })
    await dag.store()
    // The path gateway specification names index.html alone.
    const response = await exports.default.fetch(`https://api.example/ipfs/${cid}/`)
    expect(await response.text()).toContain('Index of')
  })

  it('is an origin of its own: no sandbox, but what every site has', async () => {
    const { headers } = await get('/')
    expect(headers.has('Content-Security-Policy')).toBe(false)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'origin-agent-cluster': '?1',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })

  it('lets pages of other origins read whether parts of it can be requested', async () => {
    const exposed = (await get('/picture.png')).headers.get('Access-Control-Expose-Headers')?.split(', ')
    expect(exposed).toEqual(expect.arrayContaining(['Accept-Ranges', 'Content-Encoding', 'Content-Length', 'ETag']))
  })

  it('sends a directory without its slash to the one with it, query and all', async () => {
    const response = await get('/about?x=1')
    expect([response.status, response.headers.get('Location')]).toEqual([301, '/about/?x=1'])
  })

  it('rewrites no query, whatever redirects', async () => {
    const id = await storeSite({
      ...FILES,
      _redirects: '/old /new.html 302\n/q /new.html?a=2 302\n/ext https://x.example/ 302',
    })
    const location = async (path: string) => (await get(path, {}, id)).headers.get('Location')
    expect(await location('/about?flag&q=a%20b')).toBe('/about/?flag&q=a%20b')
    expect(await location('/about?filename=a%20b&download=true&format=x')).toBe(
      '/about/?filename=a%20b&download=true&format=x',
    )
    expect(await location('/old?flag&q=a%20b')).toBe('/new.html?flag&q=a%20b')
    expect(await location('/q?x=1')).toBe('/new.html?a=2&x=1')
    expect(await location('/ext?x=1')).toBe('https://x.example/?x=1')
  })

  it('compresses pages for clients that take it', async () => {
    const response = await get('/', { headers: { 'Accept-Encoding': 'br' } })
    expect(response.headers.get('Content-Encoding')).toBe('br')
    await response.body?.cancel()
    const plain = await get('/', { headers: { 'Accept-Encoding': 'identity' } })
    expect([plain.headers.get('Content-Encoding'), await plain.text()]).toEqual([null, INDEX])
  })

  it('answers HEAD, ranges and conditions', async () => {
    const head = await get('/picture.png', { method: 'HEAD' })
    expect([head.status, head.headers.get('Content-Length')]).toEqual([200, '5000'])
    const part = await get('/picture.png', { headers: { Range: 'bytes=10-19' } })
    expect(part.status).toBe(206)
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(PICTURE.slice(10, 20))
    const etag = head.headers.get('ETag') ?? ''
    expect((await get('/picture.png', { headers: { 'If-None-Match': etag } })).status).toBe(304)
  })

  it('shows its own 404.html for what is not there', async () => {
    const response = await get('/missing/page')
    expect([response.status, await response.text()]).toEqual([404, FILES['404.html']])
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('X-Frame-Options')).toBe('DENY')
    const without = await storeSite({ 'index.html': INDEX })
    const plain = await get('/missing', {}, without)
    expect(plain.status).toBe(404)
    expect(await plain.json()).toMatchObject({ code: 'path_not_found' })
  })

  it('has no listing of a folder without a first page: a rule, its 404.html, or an error', async () => {
    const id = await storeSite({ ...FILES, _redirects: '/old/* /data.json 302\n', 'old/a.txt': 'a' })
    const lost = await get('/assets/', {}, id)
    expect([lost.status, await lost.text()]).toEqual([404, FILES['404.html']])
    const ruled = await get('/old/', {}, id)
    expect([ruled.status, ruled.headers.get('Location')]).toEqual([302, '/data.json'])
    const plain = await get('/assets/', {}, await storeSite({ 'index.htm': INDEX, 'assets/a.js': 'a' }))
    expect([plain.status, await plain.json()]).toMatchObject([404, { code: 'path_not_found' }])
  })

  it('obeys its _redirects for paths that are not there', async () => {
    const _redirects =
      '/old /data.json 302\n/blog/:page /posts/:page.html 301\n/gone /404.html 410\n/app/* /index.html 200\n'
    const id = await storeSite({ ...FILES, 'old.txt': 'x', _redirects })
    const moved = await get('/blog/first', {}, id)
    expect([moved.status, moved.headers.get('Location')]).toEqual([301, '/posts/first.html'])
    expect((await get('/old', {}, id)).headers.get('Location')).toBe('/data.json')
    const page = await get('/app/deep/link', {}, id)
    expect([page.status, await page.text()]).toEqual([200, INDEX])
    const gone = await get('/gone', {}, id)
    expect([gone.status, gone.headers.get('Cache-Control')]).toEqual([410, 'no-store'])
    expect((await get('/other', {}, id)).status).toBe(404)
    const broken = await storeSite({ 'index.html': INDEX, _redirects: '/a javascript:alert(1) 302' })
    expect((await get('/a', {}, broken)).status).toBe(500)
  })

  it('does not serve the files with its rules, but any others of their names', async () => {
    const rules = { _headers: FILES._headers, _redirects: '/* /index.html 200\n/_redirects /data.json 302' }
    const id = await storeSite({ ...FILES, ...rules, 'docs/_headers': 'of the documents' })
    for (const path of [
      ...['/_headers', '/_redirects', '/%5Fheaders', '//_headers', '/about/%2e%2e/_redirects', '/_headers/'],
      ...['/_headers?format=raw', '/_redirects?format=car'],
    ]) {
      const response = await get(path, {}, id)
      expect([path, response.status, response.headers.get('Cache-Control')]).toEqual([path, 404, 'no-store'])
      const body = await response.text()
      if (!path.includes('?')) expect(body).toBe(FILES['404.html'])
    }
    expect((await get('/_headers', { method: 'HEAD' }, id)).status).toBe(404)
    expect(await (await get('/docs/_headers', {}, id)).text()).toBe('of the documents')
  })

  it.each([
    ['UTF-16 LE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 BE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
  ])('reads its _redirects and _headers in %s', async (_, encode) => {
    const id = await storeSite({
      'index.html': INDEX,
      // With the line ends of PowerShell, and a first line that a mark stands in front of.
      _redirects: new Uint8Array(encode('/old /index.html 302\r\n/caf\u00e9 /new 301\r\n')),
      _headers: new Uint8Array(encode('/*\r\n  X-Frame-Options: DENY\r\n')),
    })
    const old = await get('/old', {}, id)
    expect([old.status, old.headers.get('Location')]).toEqual([302, '/index.html'])
    expect((await get('/caf%C3%A9', {}, id)).headers.get('Location')).toBe('/new')
    expect((await get('/', {}, id)).headers.get('X-Frame-Options')).toBe('DENY')
  })

  it('sends the headers of its _headers file, from the safe list alone', async () => {
    const response = await get('/assets/app.js')
    expect(response.headers.get('X-Frame-Options')).toBe('DENY')
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=60')
    expect(response.headers.has('Set-Cookie')).toBe(false)
  })

  it('says what is wrong with a _headers file, rather than run without a policy', async () => {
    for (const _headers of ['X-Frame-Options: DENY', `/*\n${'#'.repeat(70_000)}`]) {
      const broken = await storeSite({ 'index.html': INDEX, _headers })
      const response = await get('/', {}, broken)
      expect(response.status).toBe(500)
      expect(await response.json()).toMatchObject({ code: 'invalid_headers_file' })
    }
  })

  it('leaves Accept and a query of other formats to the page’s own scripts', async () => {
    for (const query of ['?format=csv', '?format', '?filename=a.html&download=true']) {
      const response = await get(`/data.json${query}`, { headers: { Accept: 'application/vnd.ipld.car' } })
      expect([query, await response.text()]).toEqual([query, '{"a":1}'])
      expect(response.headers.has('Content-Disposition')).toBe(false)
    }
    const asJson = await get('/', { headers: { Accept: 'application/json' } })
    expect(await asJson.text()).toBe(INDEX)
  })

  it('gives each format that a gateway gives', async () => {
    const list = { 'list/a.txt': 'a', 'list/sub/b.txt': 'b', '404.html': 'lost', _redirects: '/* /list/a.txt 200' }
    const dag = new DagFixture()
    const cid = await dag.addDirectory(list)
    await dag.store()
    const id = await storeItem(env.DB, { blockchain: 'IPFS', cid: String(cid) })
    for (const path of ['/', '/list', '/list/', '/list/a.txt', '/list/nothing']) {
      for (const query of [
        '?format=car',
        '?format=car&dag-scope=block&filename=x.car',
        '?format=raw',
        '?format=tar',
        '?format=dag-json',
        '?format=json',
        '?format=ipns-record',
      ]) {
        const own = await get(path + query, {}, id)
        const gateway = await exports.default.fetch(`https://storage.example/ipfs/${cid}${path}${query}`, {
          redirect: 'manual',
        })
        const headers = ['Content-Type', 'Content-Disposition'].map((name) => gateway.headers.get(name))
        expect([path, query, own.status]).toEqual([path, query, gateway.status])
        expect(['Content-Type', 'Content-Disposition'].map((name) => own.headers.get(name))).toEqual(headers)
        if (gateway.ok && !own.headers.get('Content-Type')?.startsWith('text/html'))
          expect(await own.arrayBuffer()).toEqual(await gateway.arrayBuffer())
      }
    }
  })

  it('R1: never leaves its root', async () => {
    for (const path of ['/..%2f..%2fdata.json', '/%2e%2e%2f%2e%2e', '/a/..%2f..%2f..%2fb']) {
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 400])
    }
    for (const path of ['/a%5c..%5cdata.json', '/..;/data.json', '/data.json%00', '/%252e%252e/data.json', '/ipfs/x']) {
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 404])
    }
  })

  it('never serves the paths of the API, though the item has such files', async () => {
    const id = await storeSite({ 'v0/token': 'mine', 'hook.js': 'own()', 'index.html': INDEX })
    expect((await get('/v0/token', {}, id)).status).toBe(404)
    expect(await (await get('/hook.js', {}, id)).text()).toBe('own()')
  })

  it('lists a directory that has no page', async () => {
    const id = await storeSite({ 'a.txt': 'A', 'b.txt': 'B' })
    const response = await get('/', {}, id)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('a.txt')
    expect(await (await get('/sub/', {}, await storeSite({ 'sub/c.txt': 'C' }))).text()).toContain('c.txt')
  })
})

describe('the host of an IPFS file', () => {
  it('serves it at its root with the media type of the item, and nothing else', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile('body { color: red }')
    await dag.store()
    const id = await storeItem(env.DB, { blockchain: 'IPFS', mimetype: 'text/css', cid: String(cid) })
    const response = await get('/', {}, id)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/css; charset=utf-8'])
    expect(response.headers.get('Content-Disposition')).toBe(`inline; filename="site"; filename*=UTF-8''site`)
    expect(await response.text()).toBe('body { color: red }')
    expect((await get('/a', {}, id)).status).toBe(404)
  })
})

describe('a listing', () => {
  const NAMES = [
    'a b?#%.txt',
    'sub/b.txt',
    'ü/ö.txt',
    '...',
    'a:b',
    'it\'s & "<b>',
    '\\',
    '_headers',
    '_redirects',
    'v0/x',
  ]
  let id: string
  let cid: CID
  beforeAll(async () => {
    const dag = new DagFixture()
    cid = await dag.addDirectory(
      Object.fromEntries(
        NAMES.flatMap((name) => [
          [name, '# no rule'],
          [`list/${name}`, `# ${name}`],
        ]),
      ),
    )
    await dag.store()
    id = await storeItem(env.DB, { blockchain: 'IPFS', mimetype: 'inode/directory', cid: String(cid) })
  })

  /** What each link of a page leads to; but for those that leave the service. */
  async function follow(address: string): Promise<[string, number][]> {
    const page = await (await exports.default.fetch(address)).text()
    const links = [...page.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) =>
      href.replace(/&(amp|quot|#39|lt|gt);/g, (whole) => ENTITIES[whole] ?? whole),
    )
    expect(links.length).toBeGreaterThan(8)
    const followed: [string, number][] = []
    for (const link of links) {
      const { href } = new URL(link, address)
      followed.push([href, (await exports.default.fetch(href)).status])
    }
    return followed
  }
  const ENTITIES: Record<string, string> = { '&amp;': '&', '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>' }

  const PLACES: [string, () => string][] = [
    ['the host of an item', () => `https://${id}.storage.example/`],
    ['a folder on it', () => `https://${id}.storage.example/list/`],
    ['a folder of a folder on it', () => `https://${id}.storage.example/list/sub/`],
    ['the path gateway', () => `https://storage.example/ipfs/${cid}/`],
    ['a folder on it', () => `https://api.example/ipfs/${cid}/list/`],
    ['the subdomain gateway', () => `https://${cid}.ipfs.storage.example/`],
    ['a folder on it', () => `https://${cid}.ipfs.storage.example/list/`],
    ['the content of an item', () => `https://api.example/v0/content/${id}`],
    ['a folder of it', () => `https://api.example/v0/content/${id}/list/`],
  ]
  it.each(PLACES)('has no link that leads nowhere: %s', async (_, address) => {
    const followed = await follow(address())
    expect(followed.filter(([, status]) => status !== 200)).toEqual([])
  })

  it('stays on the host of the item, its formats too', async () => {
    const own = `https://${id}.storage.example/`
    const followed = (await follow(`${own}list/`)).map(([href]) => href)
    for (const path of [
      '',
      'list',
      'list/a%20b%3F%23%25.txt',
      'list/?format=car',
      'list/?format=tar',
      'list/?format=raw',
    ]) {
      expect(followed).toContain(own + path)
    }
    for (const href of followed.filter((link) => !link.startsWith(own))) {
      expect(href).toMatch(/^https:\/\/storage\.example\/ipfs\/bafk?/)
    }
  })

  it('links no name that no path leads to', async () => {
    const dag = new DagFixture()
    const leaf = await dag.addFile('x')
    const Links = ['', '.', '..', 'a/b', 'c'].map((Name) => ({ Name, Hash: leaf, Tsize: 1 }))
    const Data = new UnixFS({ type: 'directory' }).marshal()
    const root = await dag.putBlock(0x70, dagPb.encode({ Data, Links }))
    await dag.store()
    const page = await (await exports.default.fetch(`https://storage.example/ipfs/${root}/`)).text()
    const rows = [...page.matchAll(/<td class="name">(.*?)<\/td>/g)].map(([, cell]) => cell)
    expect(rows).toEqual(['', '.', '..', 'a/b', `<a href="/ipfs/${root}/c">c</a>`])
  })
})

describe('a domain of an IPFS directory', () => {
  beforeEach(() => {
    const zone = { 'www.gallery.example': [['CNAME', `${site}.storage.example`]] } satisfies Parameters<
      typeof scriptedResolver
    >[0]
    vi.spyOn(globalThis, 'fetch').mockImplementation(scriptedResolver(zone).fetch)
  })

  it('serves the same site, as something that can change', async () => {
    for (let times = 0; times < 2; times++) {
      const response = await exports.default.fetch('https://www.gallery.example/')
      expect([response.status, await response.text()]).toEqual([200, INDEX])
      expect(response.headers.get('Cache-Control')).toBe('public, max-age=0, must-revalidate')
    }
    const own = await exports.default.fetch('https://www.gallery.example/assets/app.js')
    expect(own.headers.get('Cache-Control')).toBe('public, max-age=60')
  })

  it('does not serve the file with its rules', async () => {
    for (const path of ['/_headers', '/_redirects', '/_headers?format=raw']) {
      const response = await exports.default.fetch(`https://www.gallery.example${path}`)
      expect([path, response.status]).toEqual([path, 404])
      await response.body?.cancel()
    }
  })
})

describe('a cold site of 1,000 files in one directory', () => {
  it('reads each block of the path once, and _headers', async () => {
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`page-${n}.html`, `<p>${n}`]))
    const rules = '/*\n  X-Robots-Tag: noindex'
    const dag = new DagFixture()
    const root = await dag.addDirectory({ ...files, _headers: rules })
    const needed = [root, await dag.addFile('<p>500'), await dag.addFile(rules)]
    await dag.store((cid) => needed.some((other) => other.equals(cid)))
    const id = await storeItem(env.DB, { blockchain: 'IPFS', cid: String(root) })
    const reads: string[] = []
    const BUCKET = new Proxy(env.BUCKET, {
      get(bucket, name) {
        const value: unknown = Reflect.get(bucket, name, bucket)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (name === 'get') reads.push(String(args[0]))
          return value.apply(bucket, args)
        }
      },
    })
    const ctx = createExecutionContext()
    const request = new Request<unknown, IncomingRequestCfProperties>(`https://${id}.storage.example/page-500.html`)
    const response = await worker.fetch(request, { ...env, BUCKET }, ctx)
    expect(await response.text()).toBe('<p>500')
    await waitOnExecutionContext(ctx)
    expect(response.headers.get('X-Robots-Tag')).toBe('noindex')
    // The directory, the page, `_headers`.
    expect(reads).toHaveLength(3)
  })
})

describe('the content of an IPFS directory by its object id', () => {
  it('is a page, as a browser shows it', async () => {
    const dag = new DagFixture()
    const cid = await dag.addDirectory({ 'a.txt': 'a' })
    await dag.store()
    const id = await storeItem(env.DB, { blockchain: 'IPFS', mimetype: 'inode/directory', cid: String(cid) })
    const response = await exports.default.fetch(`https://api.example/v0/content/${id}`)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await response.text()).toContain('a.txt')
  })
})
