import { exports } from 'cloudflare:workers'
import { brotliDecompressSync } from 'node:zlib'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { beforeAll, describe, expect, it } from 'vitest'
import { DagFixture, randomBytes } from '../dag-fixture.ts'

const get = (path: string, init?: RequestInit<RequestInitCfProperties>) =>
  exports.default.fetch(`https://storage.example${path}`, { redirect: 'manual', ...init })
const code = async (response: Response) => ((await response.json()) as { code: string }).code

const IMMUTABLE = 'public, max-age=29030400, immutable'
const dag = new DagFixture()
const large = randomBytes(2_500_000)
const text = 'hello application/vnd.ipld.car\n'
let file: CID
let site: CID
let tricky: CID
let small: CID

beforeAll(async () => {
  file = await dag.addFile(large)
  small = await dag.addFile(text)
  site = await dag.addDirectory({
    'root2/root3/root4/index.html': '<!doctype html><p>hello',
    'root2/root3/plain': text,
    'ą/ę/file-źł.txt': 'I am a txt file on path with utf8\n',
    'json/t.json': '{"a":1}',
  })
  tricky = await dag.addDirectory({
    'plain.txt': 'plain',
    'a#b?c.txt': 'delimiters',
    'emoji🚀.txt': 'rocket',
    "sub dir/file!'()*~.txt": 'sub-delims',
    'Portugal%2C+España=Peninsula Ibérica.txt': 'percent',
    '<img src=x onerror=alert(1)>.txt': 'markup',
    'a/b.txt': 'nested',
  })
  await dag.store()
})

describe('a file', () => {
  it('comes whole, with the headers of the specification', async () => {
    const response = await get(`/ipfs/${file}?filename=a.png`)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '2500000',
      'cache-control': IMMUTABLE,
      etag: `"${file}"`,
      'x-ipfs-path': `/ipfs/${file}`,
      'x-ipfs-roots': String(file),
      'ipfs-uri': `ipfs://${file}`,
      'accept-ranges': 'bytes',
      'content-security-policy': 'sandbox allow-scripts allow-forms allow-popups',
      'x-content-type-options': 'nosniff',
    })
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(large)
  })

  it('is the same on the API host', async () => {
    const response = await exports.default.fetch(`https://api.example/ipfs/${small}`)
    expect([response.status, await response.text()]).toEqual([200, text])
  })

  it('answers HEAD as GET, without a body', async () => {
    const head = await get(`/ipfs/${file}?filename=a.png`, { method: 'HEAD' })
    expect([head.status, head.headers.get('Content-Length'), await head.text()]).toEqual([200, '2500000', ''])
  })

  const ranges: [string, number, string | null, string][] = [
    ['bytes=6-16', 206, 'bytes 6-16/31', text.slice(6, 17)],
    ['bytes=-3', 206, 'bytes 28-30/31', text.slice(28)],
    ['bytes=6-16,0-4', 206, 'bytes 6-16/31', text.slice(6, 17)],
    ['bytes=0-', 206, 'bytes 0-30/31', text],
    ['bytes=5-2', 200, null, text],
    ['lines=1-2', 200, null, text],
  ]
  it.each(ranges)('R7: Range: %s is a %i', async (range, status, contentRange, body) => {
    const response = await get(`/ipfs/${small}`, { headers: { Range: range } })
    expect(response.status).toBe(status)
    expect(response.headers.get('Content-Range')).toBe(contentRange)
    expect(await response.text()).toBe(body)
  })

  it('R7: says what is wrong with a range outside of it, and nothing of the file', async () => {
    const response = await get(`/ipfs/${small}?download=true`, { headers: { Range: 'bytes=31-' } })
    expect([response.status, response.headers.get('Content-Range')]).toEqual([416, 'bytes */31'])
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(response.headers.has('Content-Disposition')).toBe(false)
    expect(await response.json()).toEqual({ message: expect.any(String), code: 'range_not_satisfiable' })
  })

  it('comes in part from the middle of its blocks', async () => {
    const response = await get(`/ipfs/${file}`, { headers: { Range: 'bytes=1048570-1048580' } })
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(large.slice(1048570, 1048581))
  })

  it('R8: comes whole when If-Range names another', async () => {
    const headers = { Range: 'bytes=0-4', 'If-Range': '"other"' }
    expect((await get(`/ipfs/${small}`, { headers })).status).toBe(200)
    const same = { Range: 'bytes=0-4', 'If-Range': `"${small}"` }
    expect((await get(`/ipfs/${small}`, { headers: same })).status).toBe(206)
  })

  it('comes in part although a block before or after it is missing', async () => {
    const holed = new DagFixture()
    const bytes = new TextEncoder().encode('abcdefgh'.repeat(384))
    let root: CID | undefined
    const options = { rawLeaves: false, chunker: fixedSize({ chunkSize: 1024 }), reduceSingleLeafToSelf: false }
    // Three leaves of different bytes.
    bytes.fill(65, 1024, 2048)
    bytes.fill(66, 2048)
    for await (const entry of importer([{ content: bytes }], holed, options)) root = entry.cid
    const middle = holed.order[1]
    await holed.store((cid) => cid !== middle)
    const headers = { 'Cache-Control': 'only-if-cached' }
    for (const [range, body] of [
      ['bytes=997-1000', new TextDecoder().decode(bytes.slice(997, 1001))],
      ['bytes=2200-2201', 'BB'],
    ] as const) {
      const response = await get(`/ipfs/${root}`, { headers: { ...headers, Range: range } })
      expect(response.status).toBe(206)
      expect(response.headers.get('Content-Type')).toContain('text/plain')
      expect(await response.text()).toBe(body)
    }
  })

  const tags: [string, (tag: string) => string, number][] = [
    ['its own', (tag) => tag, 304],
    ['its own, weak', (tag) => `W/${tag}`, 304],
    ['any', () => '*', 304],
    ['the third of a list', (tag) => `"fake1", "fake2", ${tag}`, 304],
    ['another', () => '"fake"', 200],
  ]
  it.each(tags)('If-None-Match with %s tag', async (_, header, status) => {
    const response = await get(`/ipfs/${small}`, { headers: { 'If-None-Match': header(`"${small}"`) } })
    expect(response.status).toBe(status)
    if (status === 304) expect([await response.text(), response.headers.get('Cache-Control')]).toEqual(['', IMMUTABLE])
  })

  it('comes as hex, whole and in part', async () => {
    const response = await get(`/ipfs/hex/${file}`)
    expect(response.headers.get('Content-Type')).toBe('text/plain')
    expect(response.headers.get('Content-Length')).toBe('5000000')
    expect(await response.text()).toBe(Buffer.from(large).toString('hex'))
    const part = await get(`/ipfs/hex/${file}`, { headers: { Range: 'bytes=3-9' } })
    expect(await part.text()).toBe(Buffer.from(large).toString('hex').slice(3, 10))
    expect(await (await get(`/ipfs/hex/${site}/root2/root3/plain`)).text()).toBe(Buffer.from(text).toString('hex'))
    expect(await (await get(`/ipfs/hex/${site}/root2/root3/root4`)).text()).toBe(
      Buffer.from('<!doctype html><p>hello').toString('hex'),
    )
    expect((await get(`/ipfs/hex/${site}/root2`)).status).toBe(400)
  })

  const dispositions: [string, string | null][] = [
    ['', null],
    ['?filename=test.txt', `inline; filename="test.txt"; filename*=UTF-8''test.txt`],
    ['?filename=test.txt&download=true', `attachment; filename="test.txt"; filename*=UTF-8''test.txt`],
    ['?download=true', 'attachment'],
    [
      `?filename=${encodeURIComponent('testтест.txt')}`,
      `inline; filename="test____.txt"; filename*=UTF-8''test%D1%82%D0%B5%D1%81%D1%82.txt`,
    ],
    [
      `?filename=${encodeURIComponent('a"\r\nSet-Cookie: x.txt')}`,
      `inline; filename="a\\"Set-Cookie: x.txt"; filename*=UTF-8''a%22Set-Cookie%3A%20x.txt`,
    ],
  ]
  it.each(dispositions)('%s has its Content-Disposition', async (query, expected) => {
    expect((await get(`/ipfs/${small}${query}`)).headers.get('Content-Disposition')).toBe(expected)
  })
})

describe('the media type', () => {
  const rows: [string, Uint8Array | string, string][] = [
    ['text', 'just text\n', 'text/plain; charset=utf-8'],
    ['JSON', '{"a": [1, 2]}', 'application/json'],
    ['what only looks like JSON', '{"a": [1, 2}', 'text/plain; charset=utf-8'],
    ['HTML', '\n<!DOCTYPE html><p>x', 'text/html; charset=utf-8'],
    ['SVG', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['PNG', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]), 'image/png'],
    ['WebAssembly', new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), 'application/wasm'],
    ['anything else', new Uint8Array([0, 1, 2, 250]), 'application/octet-stream'],
  ]
  it.each(rows)('of %s is told from its bytes', async (_, bytes, type) => {
    const one = new DagFixture()
    const cid = await one.addFile(bytes)
    await one.store()
    expect((await get(`/ipfs/${cid}`)).headers.get('Content-Type')).toBe(type)
    expect((await get(`/ipfs/${cid}`, { method: 'HEAD' })).headers.get('Content-Type')).toBe(type)
  })

  it('follows the name where there is one', async () => {
    expect((await get(`/ipfs/${small}?filename=a.css`)).headers.get('Content-Type')).toBe('text/css; charset=utf-8')
    expect((await get(`/ipfs/${site}/json/t.json`)).headers.get('Content-Type')).toBe('application/json')
  })
})

describe('a directory', () => {
  it('shows its index.html under its own tag', async () => {
    const response = await get(`/ipfs/${site}/root2/root3/root4/`)
    const roots = response.headers.get('X-Ipfs-Roots')?.split(',') ?? []
    expect(roots).toHaveLength(4)
    expect(response.headers.get('ETag')).toBe(`"${roots.at(-1)}"`)
    expect(response.headers.get('Cache-Control')).toBe(IMMUTABLE)
    expect(response.headers.get('X-Ipfs-Path')).toBe(`/ipfs/${site}/root2/root3/root4/`)
    expect(await response.text()).toBe('<!doctype html><p>hello')
    const headers = { 'If-None-Match': `"${roots.at(-1)}"` }
    expect((await get(`/ipfs/${site}/root2/root3/root4/`, { headers })).status).toBe(304)
  })

  it('is sent to its path with a slash, query and all', async () => {
    const rows: [string, string][] = [
      [`/ipfs/${site}`, `/ipfs/${site}/`],
      [`/ipfs/${site}/%C4%85/%C4%99?a=b`, `/ipfs/${site}/%C4%85/%C4%99/?a=b`],
    ]
    for (const [path, location] of rows) {
      const response = await get(path)
      expect([response.status, response.headers.get('Location')]).toEqual([301, location])
      expect(response.headers.get('Ipfs-Uri')).toBe(
        location.replace(/^\/ipfs\//, 'ipfs://').replace(/\/(?:\?.*)?$/, ''),
      )
    }
  })

  it('is listed, with links, breadcrumbs and the way up', async () => {
    const response = await get(`/ipfs/${site}/%C4%85/%C4%99/`)
    expect(response.headers.get('ETag')).toMatch(/^"DirIndex-.*_CID-bafy/)
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=604800, stale-while-revalidate=2678400')
    const [cid] = response.headers.get('ETag')?.match(/bafy\w+/) ?? []
    const page = await response.text()
    const leaf = await dag.addFile('I am a txt file on path with utf8\n')
    for (const part of [
      'Index of',
      `/ipfs/<a href="/ipfs/${site}">${site}</a>/<a href="/ipfs/${site}/%C4%85">ą</a>/<a href="/ipfs/${site}/%C4%85/%C4%99">ę</a>`,
      `<a href="/ipfs/${site}/%C4%85/%C4%99/..">..</a>`,
      `<a href="/ipfs/${site}/%C4%85/%C4%99/file-%C5%BA%C5%82.txt">file-źł.txt</a>`,
      `<a class="ipfs-hash" translate="no" href="/ipfs/${leaf}?filename=file-%25C5%25BA%25C5%2582.txt">`,
    ]) {
      expect(page).toContain(part)
    }
    for (const tag of [response.headers.get('ETag'), `W/"${cid}"`]) {
      const again = await get(`/ipfs/${site}/%C4%85/%C4%99/`, { headers: { 'If-None-Match': tag ?? '' } })
      expect(again.status).toBe(304)
    }
  })

  it('has no way up from its root, and no markup from its names', async () => {
    const page = await (await get(`/ipfs/${tricky}/`)).text()
    expect(page).not.toContain('>..</a>')
    expect(page).not.toContain('<img')
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;.txt')
  })

  it('of ten thousand entries is listed as far as a page goes', async () => {
    const many = new DagFixture()
    const leaf = await many.addFile('x')
    const Links = Array.from({ length: 10_500 }, (_, index) => ({
      Name: `${String(index).padStart(5, '0')}.txt`,
      Hash: leaf,
      Tsize: 1,
    }))
    const Data = new UnixFS({ type: 'directory' }).marshal()
    const root = await many.putBlock(0x70, dagPb.encode({ Data, Links }))
    await many.store()
    const page = await (await get(`/ipfs/${root}/`)).text()
    expect(page.match(/class="ipfs-hash"/g)).toHaveLength(10_000)
    expect(page).toContain('more entries than one page shows')
  })

  it('in shards is listed in the order of its names, and each name is found', async () => {
    const sharded = new DagFixture()
    let root: CID | undefined
    const entries = Array.from({ length: 300 }, (_, index) => ({ path: `${index}.txt`, content: new Uint8Array(1) }))
    const options = { cidVersion: 1 as const, wrapWithDirectory: true, shardSplitThresholdBytes: 100 }
    for await (const entry of importer(entries, sharded, options)) root = entry.cid
    await sharded.store()
    const page = await (await get(`/ipfs/${root}/`)).text()
    const names = [...page.matchAll(/">(\d+\.txt)<\/a>/g)].map(([, name]) => name)
    expect(names).toEqual(entries.map(({ path }) => path).sort())
    for (const { path } of entries.slice(0, 50)) expect((await get(`/ipfs/${root}/${path}`)).status).toBe(200)
    expect((await get(`/ipfs/${root}/300.txt`)).status).toBe(404)
  })
})

describe('the path', () => {
  const rows: [string, () => string, string, string | null, string][] = [
    ['trailing and doubled slashes', () => `/ipfs/${tricky}//a//b.txt`, '/a/b.txt', '/a/b.txt', 'nested'],
    [
      '%2F and dot segments, decoded once',
      () => `/ipfs/${tricky}/a%2F..%2Fplain%2Etxt`,
      '/plain.txt',
      '/plain.txt',
      'plain',
    ],
    ['%2F between names', () => `/ipfs/${tricky}/a%2Fb.txt`, '/a/b.txt', '/a/b.txt', 'nested'],
    ['delimiters of URLs', () => `/ipfs/${tricky}/a%23b%3Fc.txt`, '/a%23b%3Fc.txt', '/a#b?c.txt', 'delimiters'],
    ['what is outside ASCII', () => `/ipfs/${tricky}/emoji%F0%9F%9A%80.txt`, '/emoji%F0%9F%9A%80.txt', null, 'rocket'],
    [
      'sub-delimiters',
      () => `/ipfs/${tricky}/sub%20dir/file!'()*~.txt`,
      '/sub%20dir/file%21%27%28%29%2A~.txt',
      "/sub dir/file!'()*~.txt",
      'sub-delims',
    ],
    [
      'a name that looks percent-encoded',
      () => `/ipfs/${tricky}/Portugal%252C+Espa%c3%b1a=Peninsula%20Ib%C3%A9rica%2etxt`,
      '/Portugal%252C%2BEspa%C3%B1a%3DPeninsula%20Ib%C3%A9rica.txt',
      null,
      'percent',
    ],
    [
      'a query that is not of the path',
      () => `/ipfs/${tricky}/plain.txt?filename=x.txt&format=json`,
      '/plain.txt',
      '/plain.txt',
      'plain',
    ],
  ]
  it.each(rows)('with %s', async (_, path, uri, older, body) => {
    const response = await get(path())
    expect([response.status, await response.text()]).toEqual([200, body])
    expect(response.headers.get('Ipfs-Uri')).toBe(`ipfs://${tricky}${uri}`)
    expect(response.headers.get('X-Ipfs-Path')).toBe(older === null ? null : `/ipfs/${tricky}${older}`)
  })

  it('may begin with a root in any base', async () => {
    const v0 = CID.createV0(create(0x12, tricky.multihash.digest))
    for (const root of [v0.toString(), tricky.toString(base36), tricky.toString(base58btc)]) {
      const response = await get(`/ipfs/${root}/plain.txt`)
      expect([response.status, response.headers.get('Ipfs-Uri')]).toEqual([200, `ipfs://${tricky}/plain.txt`])
    }
  })

  it('R1: never leaves its root', async () => {
    for (const path of ['..%2F..%2Fv0%2Fhealth', 'a%2F..%2F..%2F..', '..%2F']) {
      expect(await code(await get(`/ipfs/${tricky}/${path}`))).toBe('invalid_path')
    }
    for (const path of ['..;/plain.txt', '%2500', '%00', '..%5Cplain.txt']) {
      expect((await get(`/ipfs/${tricky}/${path}`)).status).toBe(404)
    }
    expect(await code(await get(`/ipfs/${tricky}/%FF`))).toBe('invalid_path')
  })

  const refused: [string, number, string][] = [
    ['/ipfs/QmInvalidCID', 400, 'invalid_cid'],
    ['/ipfs/', 400, 'invalid_path'],
    ['/ipfs/bafkqabtimvwgy3yk?format=unknown', 400, 'unknown_format'],
    ['/ipfs/bafkqabtimvwgy3yk?format=ipns-record', 400, 'no_ipns_record'],
    ['/ipns/no_name', 400, 'invalid_name'],
  ]
  it.each(refused)('%s is a %i', async (path, status, expected) => {
    const response = await get(path)
    expect([response.status, await code(response)]).toEqual([status, expected])
    expect(response.headers.get('Cache-Control')).toBe('no-store')
  })

  it('that does not exist says which part', async () => {
    const response = await get(`/ipfs/${site}/root2/none/deeper`)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('none')
  })

  it('R16: takes GET and HEAD only', async () => {
    const response = await get(`/ipfs/${site}`, { method: 'POST', body: 'x' })
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
  })
})

describe('symlinks', () => {
  it('are their targets, and no way to another file', async () => {
    const links = new DagFixture()
    const foo = await links.addFile('content')
    const unixfs = new UnixFS({ type: 'symlink', data: new TextEncoder().encode('foo') })
    const bar = await links.putBlock(0x70, dagPb.encode({ Data: unixfs.marshal(), Links: [] }))
    const Links = [
      { Name: 'bar', Hash: bar, Tsize: 10 },
      { Name: 'foo', Hash: foo, Tsize: 10 },
    ]
    const Data = new UnixFS({ type: 'directory' }).marshal()
    const root = await links.putBlock(0x70, dagPb.encode({ Data, Links }))
    await links.store()
    const response = await get(`/ipfs/${root}/bar`)
    expect([response.status, await response.text()]).toEqual([200, 'foo'])
    expect(response.headers.get('Content-Type')).toBe('inode/symlink')
    expect((await get(`/ipfs/${root}/bar/x`)).status).toBe(404)
    const listing = await (await get(`/ipfs/${root}/`)).text()
    expect(listing).toContain('>foo<')
    expect(listing).toContain('>bar<')
  })
})

describe('HTML', () => {
  const page = `<!doctype html><title>x</title>${'<p>Hello, hello, hello.'.repeat(50)}`
  let cid: CID

  beforeAll(async () => {
    const one = new DagFixture()
    cid = await one.addFile(page)
    await one.store()
  })

  it('goes out in Brotli to a client that takes it, under a tag of its own', async () => {
    const response = await get(`/ipfs/${cid}`, { cf: { clientAcceptEncoding: 'br, gzip' } as RequestInitCfProperties })
    expect(response.headers.get('Content-Encoding')).toBe('br')
    expect(response.headers.get('Vary')).toBe('Accept-Encoding')
    expect(response.headers.get('ETag')).toBe(`"${cid}.br"`)
    const bytes = new Uint8Array(await response.arrayBuffer())
    const decoded =
      bytes.length < page.length ? brotliDecompressSync(bytes).toString() : new TextDecoder().decode(bytes)
    expect(decoded).toBe(page)
  })

  it.each(['gzip', 'br;q=0', ''])('goes out raw to a client that sends "%s"', async (clientAcceptEncoding) => {
    const response = await get(`/ipfs/${cid}`, { cf: { clientAcceptEncoding } as RequestInitCfProperties })
    expect(response.headers.get('Content-Encoding')).toBeNull()
    expect(response.headers.get('Vary')).toBe('Accept-Encoding')
    expect(response.headers.get('ETag')).toBe(`"${cid}"`)
    expect(await response.text()).toBe(page)
  })

  it('says of a page to HEAD what GET sends', async () => {
    for (const path of [`/ipfs/${cid}`, `/ipfs/${site}/`, `/ipfs/${site}/root2/root3/root4/`]) {
      const cf = { clientAcceptEncoding: 'br' } as RequestInitCfProperties
      const [whole, head] = [await get(path, { cf }), await get(`${path}?`, { method: 'HEAD', cf })]
      await whole.arrayBuffer()
      for (const name of ['Content-Length', 'ETag', 'Content-Encoding', 'Content-Type', 'Vary', 'Cache-Control']) {
        expect(head.headers.get(name)).toBe(whole.headers.get(name))
      }
    }
  })

  it('longer than is read ahead is compressed as it goes', async () => {
    const long = new DagFixture()
    const text = `<!doctype html>${'<p>Hello, hello, hello.'.repeat(60_000)}`
    const root = await long.addFile(text)
    await long.store()
    const response = await get(`/ipfs/${root}`, { cf: { clientAcceptEncoding: 'br' } as RequestInitCfProperties })
    expect(response.headers.get('Content-Encoding')).toBe('br')
    const bytes = new Uint8Array(await response.arrayBuffer())
    const decoded =
      bytes.length < text.length ? brotliDecompressSync(bytes).toString() : new TextDecoder().decode(bytes)
    expect(decoded).toBe(text)
  })

  it('goes out raw in part', async () => {
    const init = { cf: { clientAcceptEncoding: 'br' } as RequestInitCfProperties, headers: { Range: 'bytes=0-8' } }
    const response = await get(`/ipfs/${cid}`, init)
    expect([response.status, await response.text()]).toEqual([206, '<!doctype'])
  })
})

describe('who may read it', () => {
  it('says on every answer what a preflight says', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await get('/ipfs/bafkqabtimvwgy3yk/', { method })
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
      const allowed = [headers.get('Access-Control-Allow-Methods'), headers.get('Access-Control-Allow-Headers')].join()
      for (const name of ['GET', 'HEAD', 'OPTIONS', 'Content-Type', 'Range', 'User-Agent', 'X-Requested-With']) {
        expect(allowed).toContain(name)
      }
      for (const name of [
        'Content-Range',
        'Content-Length',
        'X-Ipfs-Roots',
        'X-Chunked-Output',
        'X-Stream-Output',
        'Ipfs-Uri',
      ]) {
        expect(headers.get('Access-Control-Expose-Headers')).toContain(name)
      }
    }
  })

  it('I5: refuses a service worker for a root, and has one below it', async () => {
    const headers = { 'Service-Worker': 'script' }
    expect(await code(await get(`/ipfs/${small}`, { headers }))).toBe('service_worker_scope')
    expect(await code(await get(`/ipns/docs.example`, { headers }))).toBe('service_worker_scope')
    expect((await get(`/ipfs/${site}/root2/root3/plain`, { headers })).status).toBe(200)
  })
})
