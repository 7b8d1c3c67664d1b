import { describe, expect, it } from 'vitest'
import { DagFixture } from '../dag-fixture.ts'
import { get } from '../gateway-request.ts'
import { useSamples } from '../sample-files.ts'

const { small, site } = await useSamples()

/** The first box of an ISO media file. */
function isoMedia(major: string, ...compatible: string[]): Uint8Array {
  const brands = `ftyp${major}\0\0\0\0${compatible.join('')}`
  return new TextEncoder().encode(`\0\0\0${String.fromCharCode(brands.length + 4)}${brands}avif`)
}

const ZIP = new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 0, 0])
const EBML = new Uint8Array([0x1a, 0x45, 0xdf, 0xa3, 0, 0])

describe('the media type', () => {
  const rows: [string, Uint8Array | string, string][] = [
    ['text', 'just text\n', 'text/plain; charset=utf-8'],
    ['JSON', '{"a": [1, 2]}', 'application/json'],
    ['what only looks like JSON', '{"a": [1, 2}', 'text/plain; charset=utf-8'],
    ['HTML', '\n<!DOCTYPE html><p>x', 'text/html; charset=utf-8'],
    ['SVG', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml; charset=utf-8'],
    ['PNG', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]), 'image/png'],
    ['WebAssembly', new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), 'application/wasm'],
    ['HTML behind comments', '<!-- a -->\n<!-- b --><!doctype html><p>x', 'text/html; charset=utf-8'],
    ['HEIC', isoMedia('heic', 'mif1', 'heic'), 'image/heic'],
    ['HEIC in a general container', isoMedia('mif1', 'mif1', 'heic'), 'image/heic'],
    ['AVIF in a general container', isoMedia('mif1', 'miaf', 'avif'), 'image/avif'],
    ['AVIF', isoMedia('avif', 'mif1'), 'image/avif'],
    ['a sound in MP4', isoMedia('M4A ', 'isom'), 'audio/mp4'],
    ['MP4', isoMedia('isom', 'avc1'), 'video/mp4'],
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

  it.each([
    ['a.docx', ZIP, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['a.ods', ZIP, 'application/vnd.oasis.opendocument.spreadsheet'],
    ['a.apk', ZIP, 'application/vnd.android.package-archive'],
    ['a.usdz', ZIP, 'model/vnd.usdz+zip'],
    ['a.key', ZIP, 'application/vnd.apple.keynote'],
    ['a.key', '-----BEGIN PUBLIC KEY-----\n', 'text/plain; charset=utf-8'],
    ['a.pl', 'print "x"\n', 'text/plain; charset=utf-8'],
    ['a.m3u8', '#EXTM3U\n', 'application/vnd.apple.mpegurl'],
    ['a.vcf', 'BEGIN:VCARD\n', 'text/x-vcard; charset=utf-8'],
    ['a.mkv', EBML, 'video/webm'],
    ['a.7z', new Uint8Array([0x37, 0x7a, 0xbc, 0xaf]), 'application/x-7z-compressed'],
  ])('of %s is told from name and bytes: %#', async (name, bytes, type) => {
    const one = new DagFixture()
    const directory = await one.addDirectory({ [name]: bytes })
    await one.store()
    for (const init of [{}, { method: 'HEAD' }, { headers: { Range: 'bytes=0-1' } }]) {
      const { headers } = await get(`/ipfs/${directory}/${name}`, init)
      expect(headers.get('Content-Type')).toBe(type)
    }
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
