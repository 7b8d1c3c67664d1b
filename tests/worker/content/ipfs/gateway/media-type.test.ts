import { describe, expect, it } from 'vitest'
import { DagFixture } from '../dag-fixture.ts'
import { get } from '../gateway-request.ts'
import { useSamples } from '../sample-files.ts'

const { small, site } = await useSamples()

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

  it.each([
    ['a.md', 'text/plain; charset=utf-8'],
    ['a.rs', 'text/plain; charset=utf-8'],
    ['a.csv', 'text/csv; charset=utf-8'],
    ['a.ico', 'image/x-icon'],
    ['a.m4a', 'audio/mp4'],
    ['a.ts', 'video/mp2t'],
    ['a.constructor', 'text/plain; charset=utf-8'],
  ])('of a text that is called %s is %s', async (name, type) => {
    expect((await get(`/ipfs/${small}?filename=${name}`)).headers.get('Content-Type')).toBe(type)
  })

  it.each(['x.html', 'x.htm', 'x.shtml', 'x.xhtml', 'x.svg', 'x.xml', 'x.rss', 'x.mathml', 'x.xsl'])(
    'R25: is no page because a link calls it %s',
    async (name) => {
      const html = new DagFixture()
      const page = await html.addFile('<!doctype html><p>x')
      const fragment = await html.addFile('<b onclick="alert(1)">no page</b>')
      await html.store()
      const typeOf = async (path: string) => (await get(`/ipfs/${path}?filename=${name}`)).headers.get('Content-Type')
      expect(await typeOf(`${fragment}`)).toBe('text/plain; charset=utf-8')
      expect(await typeOf(`${site}/json/t.json`)).toBe('application/json')
      expect(await typeOf(`${page}`)).toBe('text/html; charset=utf-8')
    },
  )
})
