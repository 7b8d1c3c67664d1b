import * as dagCbor from '@ipld/dag-cbor'
import type { CID } from 'multiformats/cid'
import { beforeAll, describe, expect, it } from 'vitest'
import { DagFixture, randomBytes } from '../dag-fixture.ts'
import { get } from '../gateway-request.ts'

const dag = new DagFixture()
const roots = new Map<string, CID>()

beforeAll(async () => {
  // Text at first and bytes after it: what is looked at must not depend on the method.
  const mixed = new Uint8Array(100_000).fill(65)
  mixed.fill(0, 10_000)
  roots.set('small', await dag.addFile('hello\n'))
  roots.set('large', await dag.addFile(randomBytes(1_200_000)))
  roots.set('mixed', await dag.addFile(mixed))
  roots.set('empty', await dag.addFile(''))
  roots.set('page', await dag.addFile(`<!doctype html>${'<p>Hello, hello.'.repeat(100)}`))
  roots.set('site', await dag.addDirectory({ 'index.html': '<!doctype html><p>hello', 'a/b.txt': 'b' }))
  roots.set('data', await dag.putBlock(dagCbor.code, dagCbor.encode({ a: 1 })))
  await dag.store()
})

describe('HEAD says what GET does', () => {
  const rows: [string, string, RequestInit<RequestInitCfProperties>][] = [
    ['a file', 'small', {}],
    ['a file longer than is read ahead', 'large', {}],
    ['a file whose beginning is text and whose rest is not', 'mixed', {}],
    ['an empty file', 'empty', {}],
    ['a range', 'large', { headers: { Range: 'bytes=1048570-1048580' } }],
    ['a range outside', 'small', { headers: { Range: 'bytes=100-' } }],
    ['a page', 'page', {}],
    ['a page in Brotli', 'page', { cf: { clientAcceptEncoding: 'br' } }],
    ['a download', 'small?filename=a.txt&download=true', {}],
    ['a directory’s index.html', 'site/', {}],
    ['a directory without its slash', 'site', {}],
    ['a listing', 'site/a/', {}],
    ['a block', 'site/a?format=raw', {}],
    ['a CAR', 'site/a?format=car', {}],
    ['a TAR', 'site/a?format=tar', {}],
    ['a node', 'data', {}],
    ['a page about a node', 'data', { headers: { Accept: 'text/html' } }],
    ['what does not exist', 'site/none', {}],
    ['a codec that the block does not have', 'site?format=dag-json', {}],
  ]
  it.each(rows)('of %s', async (_, path, init) => {
    const [, name = '', rest = ''] = /^(\w+)(.*)$/.exec(path) ?? []
    for (const prefix of ['/ipfs/', '/ipfs/hex/']) {
      // An unused parameter keeps one from answering the other from memory.
      const again = rest.includes('?') ? '&again' : '?again'
      const head = await get(`${prefix}${roots.get(name)}${rest}${again}`, { ...init, method: 'HEAD' })
      const whole = await get(`${prefix}${roots.get(name)}${rest}${rest.includes('?') ? '&whole' : '?whole'}`, init)
      const bytes = await whole.arrayBuffer()
      expect(head.status).toBe(whole.status)
      const described = (headers: Headers) =>
        [...headers].filter(([name]) => !['server-timing', 'location'].includes(name) && name !== 'content-length')
      expect(described(head.headers)).toEqual(described(whole.headers))
      expect(await head.text()).toBe('')
      const length = head.headers.get('Content-Length')
      if (whole.ok) expect(length).toBe(whole.headers.get('Content-Length'))
      // What is encoded has been decoded by now.
      const encoded = whole.headers.has('Content-Encoding')
      if (whole.ok && length !== null && !encoded) expect(length).toBe(String(bytes.byteLength))
      if (whole.ok && !/format=(?:car|tar)/.test(rest)) expect(length).not.toBeNull()
    }
  })

  it('when nothing has changed', async () => {
    const etag = (await get(`/ipfs/${roots.get('small')}`)).headers.get('ETag') ?? ''
    for (const method of ['GET', 'HEAD']) {
      const response = await get(`/ipfs/${roots.get('small')}`, { method, headers: { 'If-None-Match': etag } })
      expect([response.status, response.headers.get('ETag')]).toEqual([304, etag])
    }
  })
})
