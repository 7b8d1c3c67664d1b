import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { CID } from 'multiformats/cid'
import { beforeAll, describe, expect, it } from 'vitest'
import { blockName } from '../../../../../worker/content/ipfs/blocks/block-key.ts'
import { DagFixture } from '../dag-fixture.ts'
import { get } from '../gateway-request.ts'

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

const dag = new DagFixture()
const known = new Map<string, CID>()
const cid = (name: string): CID => {
  const found = known.get(name)
  if (!found) throw new Error(`There is no ${name}.`)
  return found
}
const block = (name: string) => new Uint8Array(dag.blocks.get(blockName(cid(name))) ?? [])

beforeAll(async () => {
  const text = (value: string) => new TextEncoder().encode(value)
  known.set('file', await dag.addFile('I am a txt file on path with utf8\n'))
  known.set('pb-file', await dag.addFile(new Uint8Array(1024 * 1024 + 1)))
  known.set('dir', await dag.addDirectory({ 'a/t.txt': 'text' }))
  known.set('json', await dag.putBlock(0x0200, text('{ "test": "plain json" }')))
  known.set('cbor', await dag.putBlock(0x51, dagCbor.encode({ test: 'plain json' })))
  const target = { hello: 'this is not a link' }
  known.set('target', await dag.putBlock(dagCbor.code, dagCbor.encode(target)))
  const value = { foo: { link: { '/': 1 } as unknown, list: [1, cid('target')] } }
  value.foo.link = await dag.putBlock(dagCbor.code, dagCbor.encode({ bar: cid('target') }))
  known.set('dag-cbor', await dag.putBlock(dagCbor.code, dagCbor.encode(value)))
  known.set('dag-json', await dag.putBlock(dagJson.code, dagJson.encode(value)))
  known.set('broken', await dag.putBlock(dagCbor.code, text('this is no CBOR at all')))
  await dag.store()
})

describe('a codec that the block does not have (IPIP-0524)', () => {
  const rows: [string, string[]][] = [
    ['file', ['dag-json', 'dag-cbor']],
    ['dir', ['dag-json', 'dag-cbor']],
    ['pb-file', ['dag-json', 'dag-cbor']],
    ['json', ['cbor', 'dag-cbor']],
    ['cbor', ['json', 'dag-json']],
    ['dag-json', ['cbor', 'dag-cbor']],
    ['dag-cbor', ['json', 'dag-json']],
  ]
  const cases = rows.flatMap(([name, formats]) => formats.map((format) => [name, format] as const))
  it.each(cases)('%s is not converted to %s', async (name, format) => {
    const type = format.startsWith('dag-') ? `application/vnd.ipld.${format}` : `application/${format}`
    for (const [query, headers] of [
      [`?format=${format}`, {}],
      ['', { Accept: type }],
      ['', { Accept: `foo, ${type},bar` }],
    ] as const) {
      const response = await get(`/ipfs/${cid(name)}${query}`, { headers })
      expect(response.status).toBe(406)
      expect(await response.json()).toMatchObject({
        code: 'format_not_available',
        message: expect.stringContaining('?format=raw'),
      })
      expect((await get(`/ipfs/${cid(name)}${query}`, { method: 'HEAD', headers })).status).toBe(406)
    }
  })

  it.each(['file', 'dir', 'json', 'cbor', 'dag-json', 'dag-cbor'])('%s is had as the block it is', async (name) => {
    expect(await bytesOf(await get(`/ipfs/${cid(name)}?format=raw`))).toEqual(block(name))
  })
})

describe('UnixFS asked for as data', () => {
  it.each(['json', 'cbor'])('%s changes nothing', async (format) => {
    for (const init of [{}, { headers: { Accept: `application/${format}` } }]) {
      const response = await get(`/ipfs/${cid('file')}${'headers' in init ? '' : `?format=${format}`}`, init)
      expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
      expect(await bytesOf(response)).toEqual(block('file'))
    }
  })
})

describe('plain JSON and CBOR', () => {
  const rows: [string, string][] = [
    ['json', 'inline'],
    ['cbor', 'attachment'],
  ]
  it.each(rows)('%s comes as it is, whole and in part', async (format, kind) => {
    for (const [query, headers] of [
      ['', {}],
      [`?format=${format}`, {}],
      ['', { Accept: `application/${format}` }],
    ] as const) {
      const response = await get(`/ipfs/${cid(format)}${query}`, { headers })
      expect(response.headers.get('Content-Type')).toBe(`application/${format}`)
      expect(response.headers.get('Content-Disposition')).toContain(`${kind}; filename="${cid(format)}.${format}"`)
      expect(await bytesOf(response)).toEqual(block(format))
      const part = await get(`/ipfs/${cid(format)}${query}`, { headers: { ...headers, Range: 'bytes=7-9' } })
      expect([part.status, part.headers.get('Content-Type')]).toEqual([206, `application/${format}`])
      expect(await bytesOf(part)).toEqual(block(format).slice(7, 10))
    }
  })

  it.each(['json', 'cbor'])('%s is read as its stricter form on request', async (format) => {
    const response = await get(`/ipfs/${cid(format)}?format=dag-${format}`)
    expect(response.headers.get('Content-Type')).toBe(`application/vnd.ipld.dag-${format}`)
    const decode = format === 'json' ? dagJson.decode : dagCbor.decode
    expect(decode(await bytesOf(response))).toEqual({ test: 'plain json' })
  })
})

describe('DAG-JSON and DAG-CBOR', () => {
  it.each(['json', 'cbor'])('dag-%s comes as the block it is', async (format) => {
    const name = `dag-${format}`
    for (const [query, headers, type] of [
      ['', {}, `application/vnd.ipld.${name}`],
      [`?format=${name}`, {}, `application/vnd.ipld.${name}`],
      ['', { Accept: `application/vnd.ipld.${name}` }, `application/vnd.ipld.${name}`],
      [`?format=${format}`, {}, `application/${format}`],
      ['', { Accept: `application/${format}` }, `application/${format}`],
    ] as const) {
      const response = await get(`/ipfs/${cid(name)}${query}`, { headers })
      expect([response.status, response.headers.get('Content-Type')]).toEqual([200, type])
      expect(response.headers.get('Content-Length')).toBe(String(block(name).length))
      expect(await bytesOf(response)).toEqual(block(name))
    }
  })

  it('answer HEAD with the length of what GET would send', async () => {
    for (const name of ['dag-json', 'dag-cbor']) {
      const head = await get(`/ipfs/${cid(name)}?format=${name}`, { method: 'HEAD' })
      expect(head.headers.get('Content-Length')).toBe(String(block(name).length))
    }
  })

  it('are a page for a browser', async () => {
    for (const name of ['dag-json', 'dag-cbor']) {
      const response = await get(`/ipfs/${cid(name)}/`, { headers: { Accept: 'text/html' } })
      expect(response.headers.get('ETag')).toMatch(/^"DagIndex-/)
      expect(response.headers.get('Content-Type')).toBe('text/html')
      expect(response.headers.get('Content-Disposition')).toBeNull()
      expect(response.headers.get('Cache-Control')).toBeNull()
      const page = await response.text()
      expect(page).toContain('</html>')
      expect(page).toContain(`<a href="/ipfs/${cid('target')}">${cid('target')}</a>`)
    }
  })

  const names: [string, string][] = [
    ['?filename=foobar.json', 'inline; filename="foobar.json"'],
    ['?filename=foobar.json&download=true', 'attachment; filename="foobar.json"'],
  ]
  it.each(names)('%s names the download', async (query, expected) => {
    const headers = { Accept: 'application/vnd.ipld.dag-json' }
    const response = await get(`/ipfs/${cid('dag-json')}${query}`, { headers })
    expect(response.headers.get('Content-Disposition')).toContain(expected)
  })

  it.each(['dag-json', 'dag-cbor'])('%s: a path follows links, through several blocks', async (name) => {
    for (const path of ['foo/link/bar', 'foo/list/1']) {
      const response = await get(`/ipfs/${cid(name)}/${path}?format=dag-cbor`)
      expect(await bytesOf(response)).toEqual(block('target'))
    }
  })

  it.each(['dag-json', 'dag-cbor'])(
    '%s: a path that ends in no link is a 501, one that is not there a 404',
    async (name) => {
      const inside = await get(`/ipfs/${cid(name)}/foo?format=${name}`)
      expect(inside.status).toBe(501)
      expect(await inside.text()).toContain('reading IPLD Kinds other than Links (CBOR Tag 42) is not implemented')
      expect((await get(`/ipfs/${cid(name)}/foo/i-do-not-exist`)).status).toBe(404)
      expect((await get(`/ipfs/${cid(name)}/__proto__`)).status).toBe(404)
      expect((await get(`/ipfs/${cid(name)}/foo/list/length`)).status).toBe(501)
    },
  )

  it('that are not what their CID says are a 500, and still a block', async () => {
    expect((await get(`/ipfs/${cid('broken')}?format=dag-cbor`)).status).toBe(500)
    expect((await get(`/ipfs/${cid('broken')}?format=raw`)).status).toBe(200)
  })
})

describe('I8: a short block that takes long to decode', () => {
  const html = { headers: { Accept: 'text/html' } }
  const inline = CID.parse('bafkqaaa')

  it.each([
    ['links of CBOR', dagCbor.code, dagCbor.encode(Array.from({ length: 16_000 }, () => inline))],
    ['links of JSON', dagJson.code, dagJson.encode(Array.from({ length: 7_000 }, () => inline))],
  ])('of thousands of %s is sent as it is and not decoded', async (_, code, bytes) => {
    const made = new DagFixture()
    const root = await made.putBlock(code, bytes)
    await made.store()
    expect(await bytesOf(await get(`/ipfs/${root}`))).toEqual(bytes)
    expect(await (await get(`/ipfs/${root}`, html)).text()).toContain('too long')
    expect((await get(`/ipfs/${root}?format=car`)).status).toBe(422)
  })

  it('of lists in lists is shown by its name only, and found in by a CAR', async () => {
    const made = new DagFixture()
    const root = await made.putBlock(dagCbor.code, new Uint8Array([...new Uint8Array(1000).fill(0x81), 1]))
    await made.store()
    expect(await (await get(`/ipfs/${root}`, html)).text()).toContain('nested too deeply')
    expect((await get(`/ipfs/${root}?format=car`)).status).toBe(200)
  })
})
