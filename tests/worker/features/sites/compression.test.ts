import { env, exports } from 'cloudflare:workers'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { isolateBudget } from '../../../../worker/platform/flow/memory-cache.ts'
import { storeItem } from '../../../kit/store-item.ts'
import { clearMemories } from '../../clear-memories.ts'
import { DagFixture, randomBytes } from '../../content/ipfs/dag-fixture.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'
import { signIn } from '../../sign-in.ts'

const nodes = useScriptedNodes()
const chain = [nodes['nativecoin.test']]

const script = new TextEncoder().encode(`// ${'abc '.repeat(20_000)}`)
const wasm = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...new Uint8Array(4000))
const FILES: Record<string, Uint8Array> = {
  'index.html': new TextEncoder().encode('<!doctype html><title>i</title><script src=x.js></script>'.repeat(9)),
  'x.js': script,
  'a.css': new TextEncoder().encode('p{color:red}'.repeat(99)),
  'a.json': new TextEncoder().encode(JSON.stringify(Array(99).fill('abc'))),
  'a.svg': new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(99)}</svg>`),
  'a.xml': new TextEncoder().encode(`<r>${'<g/>'.repeat(99)}</r>`),
  'a.txt': new TextEncoder().encode('plain text '.repeat(99)),
  'a.wasm': wasm,
}
const decoders = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Uint8Array) => bytes }

/** A body decoded, which the client may have done already. */
function decodedBody(sent: Uint8Array, coding: keyof typeof decoders): Uint8Array {
  try {
    return new Uint8Array(decoders[coding](sent))
  } catch {
    return sent
  }
}

async function ask(url: string, headers: Record<string, string>, method = 'GET') {
  const response = await exports.default.fetch(url, { method, headers, redirect: 'manual' })
  const coding = (response.headers.get('Content-Encoding') ?? 'identity') as keyof typeof decoders
  const sent = new Uint8Array(await response.arrayBuffer())
  const { status, headers: received } = response
  return { status, headers: received, coding, bytes: decodedBody(sent, coding) }
}

/** Compressed forms that were added to the memory of the isolate since the test began: what is compressed is kept. */
function keptForms(): number {
  const values = vi.mocked(isolateBudget.add).mock.calls.map(([entry]) => Reflect.get(entry, 'value'))
  return values.filter((value) => Object(value) === value && 'cids' in value && value.bytes instanceof Uint8Array)
    .length
}

beforeEach(() => void vi.spyOn(isolateBudget, 'add'))

describe('text of a website', async () => {
  const dag = new DagFixture()
  const cid = await dag.addDirectory({ ...FILES, 'picture.png': randomBytes(500), 'short.txt': 'x' })
  await dag.store()
  const id = await storeItem(env.DB, { blockchain: 'IPFS', mimetype: 'inode/directory', cid: String(cid) })
  const own = `https://${id}.storage.example`

  it.each(Object.keys(FILES))('is compressed for who accepts it, on every host: %s', async (name) => {
    for (const base of [own, `https://storage.example/ipfs/${cid}`, `https://api.example/v0/content/${id}`]) {
      for (const [accepted, coding] of [
        ['br, gzip', 'br'],
        ['gzip', 'gzip'],
        ['br;q=0.1, gzip', 'gzip'],
        ['gzip, identity;q=0', 'gzip'],
        ['br;q=0.1, identity', 'identity'],
        ['br;q=0', 'identity'],
      ] as const) {
        const answer = await ask(`${base}/${name}`, { 'Accept-Encoding': accepted })
        expect([base, accepted, answer.status, answer.coding]).toEqual([base, accepted, 200, coding])
        expect(answer.headers.get('Vary')).toMatch(/accept-encoding/i)
        expect(answer.bytes).toEqual(FILES[name])
        if (coding !== 'identity') {
          expect(Number(answer.headers.get('Content-Length'))).toBeLessThan((FILES[name]?.length ?? 0) / 2)
        }
      }
    }
  })

  it('is compressed once, whichever host shows it and whatever is asked for', async () => {
    clearMemories()
    const urls = [
      `${own}/x.js`,
      `https://storage.example/ipfs/${cid}/x.js`,
      `https://api.example/v0/content/${id}/x.js`,
    ]
    for (const url of [...urls, ...urls]) await ask(url, { 'Accept-Encoding': 'br' })
    await ask(`${own}/x.js`, { 'Accept-Encoding': 'br' }, 'HEAD')
    expect(keptForms()).toBe(1)
  })

  it('has a strong entity tag for each coding, and is not sent again to who has it', async () => {
    const tags = new Set<string>()
    for (const accepted of ['br', 'gzip', 'identity']) {
      const first = await ask(`${own}/x.js`, { 'Accept-Encoding': accepted })
      const etag = first.headers.get('ETag') ?? ''
      expect(etag).toMatch(/^"/)
      tags.add(etag)
      const again = { 'Accept-Encoding': accepted, 'If-None-Match': etag }
      const known = await ask(`${own}/x.js`, again)
      expect([known.status, known.headers.get('ETag'), known.headers.get('Vary')]).toEqual([
        304,
        etag,
        first.headers.get('Vary'),
      ])
      expect((await ask(`${own}/x.js`, { ...again, 'If-None-Match': `W/${etag}` })).status).toBe(304)
      const head = await ask(`${own}/x.js`, { 'Accept-Encoding': accepted }, 'HEAD')
      for (const name of ['Content-Length', 'ETag', 'Content-Encoding', 'Content-Type', 'Vary', 'Cache-Control']) {
        expect([name, head.headers.get(name)]).toEqual([name, first.headers.get(name)])
      }
    }
    expect(tags.size).toBe(3)
  })

  it('has ranges of its bytes alone, which hold for no compressed form', async () => {
    const both = { 'Accept-Encoding': 'br, gzip' }
    const part = await ask(`${own}/x.js`, { ...both, Range: 'bytes=3-6' })
    expect([part.status, part.coding, new TextDecoder().decode(part.bytes)]).toEqual([206, 'identity', 'abc '])
    const encoded = (await ask(`${own}/x.js`, both)).headers.get('ETag') ?? ''
    const other = await ask(`${own}/x.js`, { ...both, Range: 'bytes=3-6', 'If-Range': encoded })
    expect([other.status, other.coding, other.bytes.length]).toEqual([200, 'identity', script.length])
    const same = await ask(`${own}/x.js`, { Range: 'bytes=3-6', 'If-Range': part.headers.get('ETag') ?? '' })
    expect(same.status).toBe(206)
    const refused = await ask(`${own}/x.js`, { 'Accept-Encoding': 'gzip, identity;q=0', Range: 'bytes=3-6' })
    expect([refused.status, refused.coding]).toEqual([200, 'gzip'])
    expect(refused.bytes).toEqual(script)
  })

  it('may be compressed by the network in front of hosts of items, and nowhere else', async () => {
    for (const name of ['x.js', 'picture.png']) {
      expect((await ask(`${own}/${name}`, {})).headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
      const api = await ask(`https://api.example/v0/content/${id}/${name}`, {})
      expect(api.headers.get('Cache-Control')).toContain('no-transform')
    }
  })

  it('stays as it is where it would not become smaller, and so does what is not text', async () => {
    for (const name of ['picture.png', 'short.txt']) {
      const answer = await ask(`${own}/${name}`, { 'Accept-Encoding': 'br, gzip' })
      expect([name, answer.coding]).toEqual([name, 'identity'])
    }
  })
})

describe('text of an item on a chain', () => {
  const css = new TextEncoder().encode('p{color:red}'.repeat(999))

  it.each([
    ['as stored Brotli', brotliCompressSync(css), 0],
    ['as plain bytes', css, 1],
  ])('is sent in the coding that the client accepts: %s', async (_, stored, compressions) => {
    const txids = store(chain, stored, 600)
    const id = await storeItem(env.DB, { blockchain: 'Nativecoin', mimetype: 'text/css', txids })
    clearMemories()
    const web = `https://api.example/v0/web/Nativecoin/${txids.join(',')}`
    for (const url of [`https://${id}.storage.example/`, `https://api.example/v0/content/${id}`, web]) {
      const tags = new Set<string | null>()
      for (const coding of ['br', 'gzip', 'identity'] as const) {
        for (const method of ['GET', 'GET', 'HEAD']) {
          const answer = await ask(url, { 'Accept-Encoding': coding }, method)
          expect([url, answer.status, answer.coding]).toEqual([url, 200, coding])
          if (method === 'GET') expect(answer.bytes).toEqual(css)
          tags.add(answer.headers.get('ETag'))
        }
      }
      expect(tags.size).toBe(3)
      const part = await ask(url, { 'Accept-Encoding': 'gzip', Range: 'bytes=1-5' })
      expect([part.status, new TextDecoder().decode(part.bytes)]).toEqual([206, '{colo'])
    }
    expect(keptForms()).toBe(compressions + 1)
  })
})

describe('large text', () => {
  /** Text of 1.4 MiB whose compressed form is not tiny. */
  const large = new TextEncoder().encode(toHex(randomBytes(700_000)))

  async function storeLarge(bytes: Uint8Array): Promise<{ url: string; dag: DagFixture }> {
    const dag = new DagFixture()
    const cid = await dag.addDirectory({ 'x.js': bytes })
    await dag.store()
    return { url: `https://${cid}.ipfs.storage.example/x.js`, dag }
  }

  it('is compressed while it is sent, and kept', async () => {
    const { url } = await storeLarge(large)
    const first = await ask(url, { 'Accept-Encoding': 'gzip' })
    const second = await ask(url, { 'Accept-Encoding': 'gzip' })
    expect([first.coding, first.headers.has('Content-Length')]).toEqual(['gzip', false])
    expect(Number(second.headers.get('Content-Length'))).toBeLessThan(large.length)
    expect(second.bytes).toEqual(large)
    expect(second.headers.get('ETag')).toBe(first.headers.get('ETag'))
    expect(first.bytes).toEqual(large)
    expect(keptForms()).toBe(1)
  })

  it('is sent as it is above 12 MiB', async () => {
    const { url } = await storeLarge(new Uint8Array((12 << 20) + 1).fill(0x61))
    const response = await exports.default.fetch(url, { headers: { 'Accept-Encoding': 'br' } })
    expect(response.headers.get('Content-Encoding')).toBeNull()
    await response.body?.cancel()
  })

  it('is refused once one of its blocks is denied, though its compressed form is kept', async () => {
    const { url, dag } = await storeLarge(large)
    expect((await ask(url, { 'Accept-Encoding': 'br' })).coding).toBe('br')
    const denied = await exports.default.fetch('https://api.example/v0/denied', {
      method: 'PUT',
      headers: { ...(await signIn('admin')).headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ kind: 'cid', value: String(dag.order[1]), reason: 'a test' }),
    })
    expect(denied.status).toBe(204)
    expect((await ask(url, { 'Accept-Encoding': 'br' })).status).toBe(451)
  })
})
