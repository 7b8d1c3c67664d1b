import { exports } from 'cloudflare:workers'
import * as dagPb from '@ipld/dag-pb'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { tarHeader, tarPadding } from '../../../../../worker/content/ipfs/formats/tar-header.ts'
import { DagFixture, randomBytes } from '../dag-fixture.ts'

const get = (path: string) => exports.default.fetch(`https://storage.example${path}`)

interface Entry {
  name: string
  type: string
  content: string
}

/** Reads an archive as POSIX has it: ustar headers, pax records before those they change. */
function readTar(archive: Uint8Array): Entry[] {
  const entries: Entry[] = []
  const text = (start: number, end: number) =>
    new TextDecoder().decode(archive.subarray(start, end)).replace(/\0.*$/s, '')
  let pax = new Map<string, string>()
  for (let offset = 0; archive[offset] !== 0; ) {
    const header = archive.slice(offset, offset + 512)
    const sum = Number.parseInt(text(offset + 148, offset + 156), 8)
    expect(header.fill(0x20, 148, 156).reduce((total, byte) => total + byte, 0)).toBe(sum)
    const size = Number.parseInt(text(offset + 124, offset + 136), 8)
    const type = text(offset + 156, offset + 157)
    const content = text(offset + 512, offset + 512 + size)
    if (type === 'x') {
      pax = new Map([...content.matchAll(/\d+ (\w+)=([^\n]*)\n/g)].map(([, key = '', value = '']) => [key, value]))
    } else {
      const name = pax.get('path') ?? text(offset, offset + 100)
      entries.push({
        name,
        type,
        content: type === '2' ? (pax.get('linkpath') ?? text(offset + 157, offset + 257)) : content,
      })
      pax = new Map()
    }
    offset += 512 + Math.ceil(size / 512) * 512
  }
  return entries
}

async function directoryOf(dag: DagFixture, links: Record<string, CID>): Promise<CID> {
  const Data = new UnixFS({ type: 'directory' }).marshal()
  const Links = Object.entries(links).map(([Name, Hash]) => ({ Name, Hash, Tsize: 1 }))
  return dag.putBlock(0x70, dagPb.encode(dagPb.prepare({ Data, Links })))
}

describe('?format=tar', () => {
  it('is a file under its CID', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile('I am a txt file\n')
    await dag.store()
    const response = await get(`/ipfs/${cid}?format=tar`)
    expect(response.headers.get('Content-Type')).toBe('application/x-tar')
    expect(response.headers.get('ETag')).toBe(`W/"${cid}.x-tar"`)
    expect(response.headers.get('Content-Disposition')).toContain(`attachment; filename="${cid}.tar"`)
    const archive = new Uint8Array(await response.arrayBuffer())
    expect(archive.length % 512).toBe(0)
    expect(readTar(archive)).toEqual([{ name: String(cid), type: '0', content: 'I am a txt file\n' }])
  })

  it('is a tree with names of any length and script', async () => {
    const dag = new DagFixture()
    const long = `${'x'.repeat(150)}/ą/file-źł.txt`
    const cid = await dag.addDirectory({ [long]: 'deep', 'b.txt': 'flat' })
    await dag.store()
    const names = readTar(new Uint8Array(await (await get(`/ipfs/${cid}?format=tar`)).arrayBuffer()))
    expect(names.filter(({ type }) => type === '0')).toEqual([
      { name: `${cid}/b.txt`, type: '0', content: 'flat' },
      { name: `${cid}/${long}`, type: '0', content: 'deep' },
    ])
  })

  it('has symlinks as symlinks', async () => {
    const dag = new DagFixture()
    const Data = new UnixFS({ type: 'symlink', data: new TextEncoder().encode('b.txt') }).marshal()
    const cid = await directoryOf(dag, { link: await dag.putBlock(0x70, dagPb.encode({ Data, Links: [] })) })
    await dag.store()
    const entries = readTar(new Uint8Array(await (await get(`/ipfs/${cid}?format=tar`)).arrayBuffer()))
    expect(entries).toContainEqual({ name: `${cid}/link`, type: '2', content: 'b.txt' })
  })

  it('refuses names that would be unpacked outside its root, and takes those that stay inside', async () => {
    const dag = new DagFixture()
    const file = await dag.addFile('content')
    const outside = await directoryOf(dag, { '../../evil': file })
    const inside = await directoryOf(dag, { 'foobar/../foobar/file': file })
    await dag.store()
    const refused = await get(`/ipfs/${outside}?format=tar`)
    expect(refused.status).toBe(422)
    expect(await refused.text()).toContain('relative UnixFS paths outside the root are now allowed')
    const entries = readTar(new Uint8Array(await (await get(`/ipfs/${inside}?format=tar`)).arrayBuffer()))
    expect(entries.map(({ name }) => name)).toContain(`${inside}/foobar/file`)
  })

  it('is a 400 for what is not UnixFS', async () => {
    const dag = new DagFixture()
    const cid = await dag.putBlock(0x0200, new TextEncoder().encode('{}'))
    await dag.store()
    expect((await get(`/ipfs/${cid}?format=tar`)).status).toBe(400)
  })

  it('breaks off where a block is missing', async () => {
    const dag = new DagFixture()
    const cid = await dag.addDirectory({ 'a.bin': randomBytes(200_000), 'b.bin': randomBytes(10) })
    const gap = dag.order[1]
    await dag.store((each) => each !== gap)
    const response = await exports.default.fetch(`https://storage.example/ipfs/${cid}?format=tar`, {
      headers: { 'Cache-Control': 'only-if-cached' },
    })
    await expect(response.arrayBuffer()).rejects.toThrow()
  })
})

describe('tarHeader', () => {
  it('says any name and size in a way that can be read back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }), fc.nat(100_000), (name, size) => {
        fc.pre(!/[\0\n]/.test(name) && name.isWellFormed())
        const archive = [...tarHeader({ name, type: 'file', size }), ...new Uint8Array(size), ...tarPadding(size), 0]
        expect(readTar(new Uint8Array(archive))).toMatchObject([{ name, type: '0' }])
      }),
      { numRuns: 50 },
    )
  })

  it('has a pax record for a size over 8 GiB', () => {
    const header = new TextDecoder().decode(tarHeader({ name: 'a', type: 'file', size: 8 ** 11 }))
    expect(header).toContain('size=8589934592\n')
  })
})
