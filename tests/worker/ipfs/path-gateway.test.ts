import { exports } from 'cloudflare:workers'
import type { CID } from 'multiformats/cid'
import { beforeAll, describe, expect, it } from 'vitest'
import { DagFixture, randomBytes } from './dag-fixture.ts'

const get = (path: string, init?: RequestInit) =>
  exports.default.fetch(`https://storage.example${path}`, { redirect: 'manual', ...init })

describe('a file', () => {
  const bytes = randomBytes(2_500_000)
  let cid: CID

  beforeAll(async () => {
    const dag = new DagFixture()
    cid = await dag.addFile(bytes)
    await dag.store()
  })

  it('comes whole, with the headers of the specification', async () => {
    const response = await get(`/ipfs/${cid}?filename=a.png`)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=29030400, immutable',
      etag: `"${cid}"`,
      'x-ipfs-path': `/ipfs/${cid}`,
      'x-ipfs-roots': String(cid),
      'ipfs-uri': `ipfs://${cid}`,
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'content-security-policy': 'sandbox allow-scripts allow-forms allow-popups',
      'x-content-type-options': 'nosniff',
    })
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  })

  it('comes in part', async () => {
    const response = await get(`/ipfs/${cid}`, { headers: { Range: 'bytes=1048570-1048580' } })
    expect(response.status).toBe(206)
    expect(response.headers.get('Content-Range')).toBe('bytes 1048570-1048580/2500000')
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes.slice(1048570, 1048581))
  })

  it('comes as hex', async () => {
    const response = await get(`/ipfs/hex/${cid}`)
    expect(response.headers.get('Content-Type')).toBe('text/plain')
    expect(response.headers.get('Content-Length')).toBe('5000000')
    expect(await response.text()).toBe(Buffer.from(bytes).toString('hex'))
  })
})

describe('a directory', () => {
  let site: CID
  let plain: CID

  beforeAll(async () => {
    const dag = new DagFixture()
    site = await dag.addDirectory({ 'index.html': '<!doctype html><p>Hello', 'a/b.txt': 'deep' })
    plain = await dag.addDirectory({ 'ą/ę/file-źł.txt': 'I am a txt file on path with utf8\n' })
    await dag.store()
  })

  it('shows its index.html', async () => {
    const response = await get(`/ipfs/${site}/`)
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('ETag')).toBe(`"${site}"`)
    expect(await response.text()).toBe('<!doctype html><p>Hello')
  })

  it('is listed', async () => {
    const response = await get(`/ipfs/${plain}/%C4%85/%C4%99/`)
    expect(response.status).toBe(200)
    const page = await response.text()
    expect(page).toContain('Index of')
    expect(page).toContain(`<a href="/ipfs/${plain}/%C4%85/%C4%99/file-%C5%BA%C5%82.txt">file-źł.txt</a>`)
    expect(page).toContain(
      `/ipfs/<a href="/ipfs/${plain}">${plain}</a>/<a href="/ipfs/${plain}/%C4%85">ą</a>/<a href="/ipfs/${plain}/%C4%85/%C4%99">ę</a>`,
    )
  })
})
