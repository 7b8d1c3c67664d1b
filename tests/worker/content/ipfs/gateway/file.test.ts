import { exports } from 'cloudflare:workers'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import type { CID } from 'multiformats/cid'
import { beforeAll, describe, expect, it } from 'vitest'
import { DagFixture, randomBytes } from '../dag-fixture.ts'
import { get, IMMUTABLE } from '../gateway-request.ts'
import { SITE_FILES } from '../sample-files.ts'

const dag = new DagFixture()
const large = randomBytes(2_500_000)
const text = 'hello application/vnd.ipld.car\n'
let file: CID
let small: CID
let site: CID

beforeAll(async () => {
  file = await dag.addFile(large)
  small = await dag.addFile(text)
  site = await dag.addDirectory(SITE_FILES)
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

  it('as hex is named by its own path, a directory’s page by the directory’s', async () => {
    const rows: [string, string][] = [
      ['/root2/root3/plain', '/root2/root3/plain'],
      ['/root2/root3/root4/index.html', '/root2/root3/root4/index.html'],
      ['/root2/root3/root4', '/root2/root3/root4/'],
      ['/root2/root3/root4/', '/root2/root3/root4/'],
    ]
    for (const [path, named] of rows) {
      const { headers } = await get(`/ipfs/hex/${site}${path}`)
      expect(headers.get('X-Ipfs-Path')).toBe(`/ipfs/${site}${named}`)
      expect(headers.get('Ipfs-Uri')).toBe(`ipfs://${site}${named}`)
    }
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
