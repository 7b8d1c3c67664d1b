import { exports } from 'cloudflare:workers'
import { CarReader } from '@ipld/car'
import * as dagCbor from '@ipld/dag-cbor'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { beforeAll, describe, expect, it } from 'vitest'
import { fromHex } from '../../../../../protocol/bytes.ts'
import { blockName } from '../../../../../worker/content/ipfs/blocks/block-key.ts'
import { DagFixture, randomBytes } from '../dag-fixture.ts'

const get = (path: string, init?: RequestInit) => exports.default.fetch(`https://storage.example${path}`, init)

/** The CIDs of the blocks in a CAR answer, in order, each checked to be whole. */
async function blocksOf(response: Response): Promise<string[]> {
  const reader = await CarReader.fromBytes(new Uint8Array(await response.arrayBuffer()))
  const cids: string[] = []
  for await (const { cid } of reader.blocks()) cids.push(String(cid))
  return cids
}

const multiblock = randomBytes(1026)
const dag = new DagFixture()
const known = new Map<string, CID>()
const cid = (name: string): CID => {
  const found = known.get(name)
  if (!found) throw new Error(`There is no ${name}.`)
  return found
}
const names = (...list: string[]) => list.map((name) => String(cid(name)))
const CHUNKS = ['chunk0', 'chunk1', 'chunk2', 'chunk3', 'chunk4']
const SHARDED = 400

async function addTree(prefix: string, files: Record<string, Uint8Array>, sharded = false): Promise<void> {
  const entries = Object.entries(files).map(([path, content]) => ({ path, content }))
  const options = {
    cidVersion: 1 as const,
    rawLeaves: true,
    wrapWithDirectory: true,
    chunker: fixedSize({ chunkSize: 256 }),
    ...(sharded ? { shardSplitThresholdBytes: 1, shardSplitStrategy: 'links-bytes' as const } : {}),
  }
  for await (const entry of importer(entries, dag, options))
    known.set(`${prefix}${entry.path ? `/${entry.path}` : ''}`, entry.cid)
}

beforeAll(async () => {
  const text = (value: string) => new TextEncoder().encode(value)
  await addTree('site', {
    'subdir/ascii.txt': text('hello application/vnd.ipld.car\n'),
    'subdir/hello.txt': text('hello world\n'),
    'subdir/multiblock.txt': multiblock,
  })
  await addTree('twins', { 'a.txt': text('same\n'), 'b.txt': text('same\n'), 'c.txt': multiblock })
  const many = Object.fromEntries(
    Array.from({ length: SHARDED }, (_, index) => [`${index}.txt`, text(`file ${index}\n`)]),
  )
  await addTree('sharded', many, true)
  for (const [index, name] of CHUNKS.entries()) {
    known.set(name, await dag.putBlock(0x55, multiblock.slice(index * 256, index * 256 + 256)))
  }
  const document = dagCbor.encode({ files: { single: cid('site/subdir/ascii.txt') }, name: 'document' })
  known.set('document', await dag.putBlock(dagCbor.code, document))
  const inlined = CID.createV1(0x55, identity.digest(text('inline')))
  known.set('withIdentity', await dag.putBlock(dagCbor.code, dagCbor.encode({ inlined })))
  await dag.store()
})

describe('a CAR', () => {
  const rows: [string, () => string, () => string[]][] = [
    [
      'of a file below directories has the blocks of the path',
      () => `${cid('site')}/subdir/ascii.txt?format=car`,
      () => names('site', 'site/subdir', 'site/subdir/ascii.txt'),
    ],
    [
      'follows a link of DAG-CBOR',
      () => `${cid('document')}/files/single?format=car`,
      () => names('document', 'site/subdir/ascii.txt'),
    ],
    [
      'dag-scope=block of a directory',
      () => `${cid('site')}/subdir?format=car&dag-scope=block`,
      () => names('site', 'site/subdir'),
    ],
    [
      'dag-scope=block of a file',
      () => `${cid('site')}/subdir/multiblock.txt?format=car&dag-scope=block`,
      () => names('site', 'site/subdir', 'site/subdir/multiblock.txt'),
    ],
    ['dag-scope=entity of a directory', () => `${cid('site')}?format=car&dag-scope=entity`, () => names('site')],
    [
      'dag-scope=entity of a file of many blocks',
      () => `${cid('site')}/subdir/multiblock.txt?format=car&dag-scope=entity`,
      () => names('site', 'site/subdir', 'site/subdir/multiblock.txt', ...CHUNKS),
    ],
    [
      'dag-scope=entity of DAG-CBOR leaves its links',
      () => `${cid('document')}?format=car&dag-scope=entity`,
      () => names('document'),
    ],
    [
      'dag-scope=all of a directory',
      () => `${cid('site')}/subdir?format=car&dag-scope=all`,
      () =>
        names(
          'site',
          'site/subdir',
          'site/subdir/ascii.txt',
          'site/subdir/hello.txt',
          'site/subdir/multiblock.txt',
          ...CHUNKS,
        ),
    ],
    [
      'of twins has each block once',
      () => `${cid('twins')}?format=car`,
      () => names('twins', 'twins/a.txt', 'twins/c.txt', ...CHUNKS),
    ],
    [
      'of twins with duplicates has each as often as it occurs',
      () => `${cid('twins')}?format=car&car-dups=y`,
      () => names('twins', 'twins/a.txt', 'twins/b.txt', 'twins/c.txt', ...CHUNKS),
    ],
    ['never has identity blocks', () => `${cid('withIdentity')}?format=car&car-dups=y`, () => names('withIdentity')],
  ]
  it.each(rows)('%s', async (_, path, expected) => {
    const response = await get(`/ipfs/${path()}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toMatch(
      /^application\/vnd\.ipld\.car; version=1; order=dfs; dups=[yn]$/,
    )
    expect(response.headers.get('Content-Disposition')).toMatch(/^attachment; filename=".*\.car"/)
    expect(response.headers.get('Accept-Ranges')).toBe('none')
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(await blocksOf(response)).toEqual(expected())
  })

  // multiblock.txt is 4 chunks of 256 bytes and one of 2.
  const ranges: [string, number[]][] = [
    ['0:*', [0, 1, 2, 3, 4]],
    ['0:0', [0]],
    ['512:*', [2, 3, 4]],
    ['512:1023', [2, 3]],
    ['512:-256', [2, 3]],
    ['-5:*', [3, 4]],
    ['-9999:*', [0, 1, 2, 3, 4]],
    ['-9999:-3', [0, 1, 2, 3]],
    ['1000:99999', [3, 4]],
    ['5000:6000', []],
  ]
  it.each(ranges)('entity-bytes=%s has the least number of blocks', async (bytes, chunks) => {
    const file = cid('site/subdir/multiblock.txt')
    const response = await get(`/ipfs/${file}?format=car&dag-scope=entity&entity-bytes=${bytes}`)
    expect(response.status).toBe(200)
    expect(await blocksOf(response)).toEqual([String(file), ...chunks.map((index) => names(CHUNKS[index] ?? '')[0])])
  })

  it('ignores entity-bytes of what is no row of bytes', async () => {
    const response = await get(`/ipfs/${cid('site')}?format=car&entity-bytes=5:10`)
    expect(await blocksOf(response)).toEqual(names('site'))
  })

  it('of a sharded directory has every shard and no entry, in the order of the DAG', async () => {
    const response = await get(`/ipfs/${cid('sharded')}?format=car&dag-scope=entity`)
    const blocks = await blocksOf(response)
    expect(blocks[0]).toBe(String(cid('sharded')))
    expect(blocks.length).toBeGreaterThan(100)
    expect(blocks).not.toContain(String(cid('sharded/7.txt')))
    expect(new Set(blocks).size).toBe(blocks.length)
  })

  it('of a file in a sharded directory has the shards on the way only', async () => {
    const blocks = await blocksOf(await get(`/ipfs/${cid('sharded')}/7.txt?format=car`))
    expect([blocks[0], blocks.at(-1)]).toEqual(names('sharded', 'sharded/7.txt'))
    expect(blocks.length).toBeLessThanOrEqual(4)
  })

  it('says where Accept decides what is sent, and nowhere else', async () => {
    const varies = async (path: string, headers: Record<string, string> = {}) => {
      const response = await get(path, { headers })
      await response.arrayBuffer()
      return (response.headers.get('Vary') ?? '').split(', ').includes('Accept')
    }
    const root = `/ipfs/${cid('site')}`
    const file = `/ipfs/${cid('site/subdir/multiblock.txt')}`
    for (const path of [root, `${root}/`, file, `${file}?format=car`]) {
      expect([path, await varies(path)]).toEqual([path, true])
      expect([path, await varies(path, { Accept: 'application/vnd.ipld.raw' })]).toEqual([path, true])
    }
    for (const path of [`${file}?format=raw`, `${root}?format=tar`, `/ipfs/hex/${cid('site/subdir/multiblock.txt')}`]) {
      expect([path, await varies(path, { Accept: 'application/vnd.ipld.car' })]).toEqual([path, false])
    }
    const known = await get(file, { headers: { 'If-None-Match': '*' } })
    expect([known.status, known.headers.get('Vary')]).toEqual([304, 'Accept'])
  })

  it('has the parameters of Accept, also beside ?format=car', async () => {
    const Accept = 'application/vnd.ipld.car; version=1; order=dfs; dups=y'
    for (const query of ['', '?format=car']) {
      const response = await get(`/ipfs/${cid('twins')}${query}`, { headers: { Accept } })
      expect(response.headers.get('Content-Type')).toBe('application/vnd.ipld.car; version=1; order=dfs; dups=y')
      expect(response.headers.get('Content-Location')).toBe(query ? null : `/ipfs/${cid('twins')}?format=car`)
      await response.arrayBuffer()
    }
  })

  it('is framed so that its root comes first', async () => {
    const response = await get(`/ipfs/${cid('twins')}?format=car`)
    const reader = await CarReader.fromBytes(new Uint8Array(await response.arrayBuffer()))
    expect(await reader.getRoots()).toEqual([cid('twins')])
  })

  it('has a tag of its own for each shape, and a 304 for it', async () => {
    const tags = new Set<string>()
    for (const query of ['', '&dag-scope=entity', '&dag-scope=block', '&car-dups=y', '&entity-bytes=0:5']) {
      const path = `/ipfs/${cid('site')}/subdir/multiblock.txt?format=car${query}`
      const etag = (await get(path, { method: 'HEAD' })).headers.get('ETag') ?? ''
      tags.add(etag)
      expect((await get(path, { headers: { 'If-None-Match': etag } })).status).toBe(304)
    }
    expect(tags.size).toBe(5)
  })

  const refused = [
    '&car-version=2',
    '&car-order=bfs',
    '&car-dups=x',
    '&dag-scope=some',
    '&entity-bytes=a:b',
    '&entity-bytes=9:3',
  ]
  it.each(refused)('refuses %s', async (query) => {
    expect((await get(`/ipfs/${cid('site')}?format=car${query}`)).status).toBe(400)
  })

  it('is a 404 for a path that does not exist, and for a root that nobody has', async () => {
    expect((await get(`/ipfs/${cid('site')}/subdir/none?format=car`)).status).toBe(404)
    const nobody = await new DagFixture().addFile(randomBytes(8))
    const headers = { 'Cache-Control': 'only-if-cached' }
    expect((await get(`/ipfs/${nobody}?format=car`, { headers })).status).toBe(412)
  })

  async function lacking(files: Record<string, Uint8Array>, lost: number): Promise<Response> {
    const partial = new DagFixture()
    const root = await partial.addDirectory(files)
    await partial.store((each) => partial.order.indexOf(each) !== lost)
    return await get(`/ipfs/${root}?format=car`, { headers: { 'Cache-Control': 'only-if-cached' } })
  }

  it('that lacks a block breaks off', async () => {
    const response = await lacking({ 'a.bin': randomBytes(100_000), 'b.txt': randomBytes(20) }, 1)
    await expect(response.arrayBuffer()).rejects.toThrow()
  })

  it('that lacks a block near its beginning is refused instead of broken off', async () => {
    expect((await lacking({ 'a.txt': randomBytes(10), 'b.txt': randomBytes(20) }, 1)).status).toBe(412)
  })

  it('I14: of a DAG that few blocks make immense goes on only as far as it is read', async () => {
    const bomb = new DagFixture()
    let root = await bomb.addFile('leaf')
    for (let depth = 0; depth < 40; depth++) root = await bomb.putBlock(dagCbor.code, dagCbor.encode([root, root]))
    await bomb.store()
    expect(await blocksOf(await get(`/ipfs/${root}?format=car`))).toHaveLength(41)
    const response = await get(`/ipfs/${root}?format=car&car-dups=y`)
    const reader = response.body?.getReader()
    for (let reads = 0; reads < 50; reads++) await reader?.read()
    await reader?.cancel()
  })
})

describe('a raw block', () => {
  it.each(['?format=raw', ''])('comes as it is (%s)', async (query) => {
    const init = query ? {} : { headers: { Accept: 'application/vnd.ipld.raw' } }
    const response = await get(`/ipfs/${cid('site')}/subdir${query}`, init)
    const block = dag.blocks.get(blockName(cid('site/subdir')))
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/vnd.ipld.raw',
      'content-length': String(block?.length),
      'content-disposition': expect.stringMatching(/^attachment; filename=".*\.bin"/),
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=29030400, immutable',
      'x-ipfs-path': `/ipfs/${cid('site')}/subdir`,
      etag: `"${cid('site/subdir')}.raw"`,
    })
    expect(response.headers.get('Content-Location')).toBe(query ? null : `/ipfs/${cid('site')}/subdir?format=raw`)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(block ?? []))
  })

  it('comes in part', async () => {
    const response = await get(`/ipfs/${cid('site')}/subdir?format=raw`, { headers: { Range: 'bytes=6-16,0-4' } })
    expect(response.status).toBe(206)
    const block = dag.blocks.get(blockName(cid('site/subdir')))
    expect(response.headers.get('Content-Range')).toBe(`bytes 6-16/${block?.length}`)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(block ?? []).slice(6, 17))
  })

  it('takes the name that is asked for', async () => {
    const response = await get(`/ipfs/${cid('site')}?format=raw&filename=foobar.bin`)
    expect(response.headers.get('Content-Disposition')).toContain('attachment; filename="foobar.bin"')
  })
})

// The fixtures of IPIP-550: a directory and a shard, with Data before Links and after.
describe('dag-pb in either order of its fields', () => {
  const LEAF = '0a24015512205891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03'
  const DIRECTORY = `1233${LEAF}120968656c6c6f2e7478741806`
  const SHARD = `1235${LEAF}120b444668656c6c6f2e7478741806`
  const BITS = `0a250805121c80${'00'.repeat(27)}2822308002`
  const rows: [string, string][] = [
    ['bafybeigqvyloizmfcdy6scaxnyltftzptaruqa3hnnplfzsbf4sqteiwlm', `0a020801${DIRECTORY}`],
    ['bafybeigdcg7pksx2zk5336vrfsktjodlr4rbfz37qr3koc5xboxe5ekv24', `${DIRECTORY}0a020801`],
    ['bafybeicwgy2rlqmqqu3yy2tqvm2wbgdvy3snu4sbbv4wqpvpnoplpzxz74', `${BITS}${SHARD}`],
    ['bafybeicjwkfslu7gwyywffvqgse5kiibojtktxcdqhgv7ldj5fjdacuceq', `${SHARD}${BITS}`],
  ]
  it.each(rows)('%s', async (root, hex) => {
    const orders = new DagFixture()
    await orders.addFile('hello\n')
    const block = fromHex(hex) ?? new Uint8Array()
    await orders.put(CID.parse(root), block)
    await orders.store()
    expect(await (await get(`/ipfs/${root}/hello.txt`)).text()).toBe('hello\n')
    expect(new Uint8Array(await (await get(`/ipfs/${root}?format=raw`)).arrayBuffer())).toEqual(new Uint8Array(block))
  })
})
