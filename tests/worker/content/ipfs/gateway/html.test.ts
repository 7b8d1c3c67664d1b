import { brotliDecompressSync } from 'node:zlib'
import type { CID } from 'multiformats/cid'
import { beforeAll, describe, expect, it } from 'vitest'
import { DagFixture } from '../dag-fixture.ts'
import { get } from '../gateway-request.ts'
import { SITE_FILES } from '../sample-files.ts'

const dag = new DagFixture()
let site: CID

beforeAll(async () => {
  site = await dag.addDirectory(SITE_FILES)
  await dag.store()
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
    expect(response.headers.get('Vary')).toBe('Accept-Encoding, Accept')
    expect(response.headers.get('ETag')).toBe(`"${cid}.br"`)
    const bytes = new Uint8Array(await response.arrayBuffer())
    const decoded =
      bytes.length < page.length ? brotliDecompressSync(bytes).toString() : new TextDecoder().decode(bytes)
    expect(decoded).toBe(page)
  })

  it.each(['deflate', 'br;q=0', ''])('goes out raw to a client that sends "%s"', async (clientAcceptEncoding) => {
    const response = await get(`/ipfs/${cid}`, { cf: { clientAcceptEncoding } as RequestInitCfProperties })
    expect(response.headers.get('Content-Encoding')).toBeNull()
    expect(response.headers.get('Vary')).toBe('Accept-Encoding, Accept')
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
