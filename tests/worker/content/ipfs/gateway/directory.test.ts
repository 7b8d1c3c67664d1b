import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { importer } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { inlineLinksBomb, namesBomb } from '../bombs.ts'
import { DagFixture } from '../dag-fixture.ts'
import { get, IMMUTABLE } from '../gateway-request.ts'
import { useSamples } from '../sample-files.ts'

const { dag, site, tricky } = await useSamples()

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

  it('has names that turn the direction of a text isolated on the page, and escaped in headers', async () => {
    const turned = new DagFixture()
    const name = 'photo\u202egnp.exe'
    const root = await turned.addDirectory({ [name]: 'x' })
    await turned.store()
    const page = await (await get(`/ipfs/${root}/`)).text()
    expect(page).toContain(`>${name}</a>`)
    expect(page).toContain('.name a, h1 a { unicode-bidi: isolate }')
    const download = await get(`/ipfs/${root}/${encodeURIComponent(name)}?download=true`)
    expect(download.headers.get('Content-Disposition')).toBe(
      `attachment; filename="photo%u202Egnp.exe"; filename*=UTF-8''photo%25u202Egnp.exe`,
    )
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

describe('I14: a directory of few blocks that would be an immense page', () => {
  it('of more links than hashes fit into a block is refused', async () => {
    const made = new DagFixture()
    const root = await inlineLinksBomb(made, 50_001)
    await made.store()
    const forms = ['/', '?format=car', '?format=tar']
    for (const form of forms) expect((await get(`/ipfs/${root}${form}`)).status).toBe(422)
  })

  it('of names that grow where they are written is listed as far as a page goes', async () => {
    const made = new DagFixture()
    const root = await namesBomb(made, 20, 200)
    await made.store()
    const page = await (await get(`/ipfs/${root}/`)).text()
    expect(page.length).toBeLessThan(8.1 * 1024 * 1024)
    const rows = page.match(/class="name"/g) ?? []
    expect(rows.length).toBeLessThan(20 * 240)
    expect(page).toContain(`${rows.length}+ entries`)
    expect(page).toContain('more entries than one page shows')
  })

  it('of names that no address can hold shows their beginnings', async () => {
    const made = new DagFixture()
    const root = await namesBomb(made, 1, 3000, 2)
    await made.store()
    const page = await (await get(`/ipfs/${root}/`)).text()
    expect(page.match(/(?:&quot;){2048}…/g)).toHaveLength(2)
    expect(page).not.toContain('?filename=')
  })
})
