import { exports } from 'cloudflare:workers'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as dagPb from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { beforeAll, describe, expect, it } from 'vitest'
import { blockName } from '../../../../worker/ipfs/blocks/block-key.ts'
import { DagFixture } from '../dag-fixture.ts'

const get = (path: string, init?: RequestInit) =>
  exports.default.fetch(`https://storage.example${path}`, { redirect: 'manual', ...init })
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())
const IMMUTABLE = 'public, max-age=29030400, immutable'

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

describe('UnixFS as data', () => {
  const rows: [string, string, string, (bytes: Uint8Array) => Uint8Array][] = [
    ['file', 'dag-json', 'inline', (bytes) => dagJson.encode(bytes)],
    ['file', 'dag-cbor', 'attachment', (bytes) => dagCbor.encode(bytes)],
    ['dir', 'dag-json', 'inline', (bytes) => dagJson.encode(dagPb.decode(bytes))],
    ['dir', 'dag-cbor', 'attachment', (bytes) => dagCbor.encode(dagPb.decode(bytes))],
  ]
  it.each(rows)('%s as %s', async (name, format, kind, expected) => {
    const type = `application/vnd.ipld.${format}`
    for (const [query, headers] of [
      [`?format=${format}`, {}],
      ['', { Accept: `foo, ${type},bar` }],
    ] as const) {
      const response = await get(`/ipfs/${cid(name)}${query}`, { headers })
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': type,
        'content-disposition': expect.stringContaining(`${kind}; filename="${cid(name)}.${format.slice(4)}"`),
        etag: `"${cid(name)}.${format}"`,
        'cache-control': IMMUTABLE,
      })
      expect(response.headers.get('Content-Location')).toBe(query ? null : `/ipfs/${cid(name)}?format=${format}`)
      expect(await bytesOf(response)).toEqual(new Uint8Array(expected(block(name))))
    }
  })

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

  it('become each other', async () => {
    const json = await get(`/ipfs/${cid('dag-cbor')}/`, { headers: { Accept: 'application/vnd.ipld.dag-json' } })
    expect(json.headers.get('ETag')).toBe(`"${cid('dag-cbor')}.dag-json"`)
    expect(await bytesOf(json)).toEqual(block('dag-json'))
    const cbor = await get(`/ipfs/${cid('dag-json')}?format=dag-cbor`)
    expect(await bytesOf(cbor)).toEqual(block('dag-cbor'))
  })

  it('answer HEAD with the length of what GET would send', async () => {
    const head = await get(`/ipfs/${cid('dag-cbor')}?format=dag-json`, { method: 'HEAD' })
    expect(head.headers.get('Content-Length')).toBe(String(block('dag-json').length))
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
      const response = await get(`/ipfs/${cid(name)}/${path}?format=dag-json`)
      expect(await response.json()).toEqual({ hello: 'this is not a link' })
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
