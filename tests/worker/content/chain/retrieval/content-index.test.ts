import { env } from 'cloudflare:test'
import { brotliCompressSync } from 'node:zlib'
import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, it } from 'vitest'
import { toHex } from '../../../../../protocol/bytes.ts'
import { type ContentIndex, encodeContentIndex } from '../../../../../protocol/content-index.ts'
import { parseDeniedValue } from '../../../../../worker/content/denylist/denied-value.ts'
import { expireDenylist } from '../../../../../worker/content/denylist/denylist.ts'
import { insertDenied } from '../../../../../worker/features/reports/sql/deny.ts'
import { clearMemories } from '../../../clear-memories.ts'
import { store, useScriptedNodes } from '../../../scripted-node.ts'
import { DagFixture, randomBytes } from '../../ipfs/dag-fixture.ts'
import { carOf } from '../../ipfs/write-car.ts'
import { code, get, post } from './ask.ts'

const node = useScriptedNodes()['nativecoin.test']

/** Text that no test has stored before. */
const fresh = (words = 'some text') => Buffer.from(`${words} ${crypto.randomUUID()}`)

/** Puts content in several transactions on the chain, and its index, with what a test has it say. */
function write(content: Uint8Array, says: Partial<ContentIndex> = {}, step = 20) {
  const encoding = says.encoding ?? 'br'
  const parts = store([node], encoding === 'br' ? brotliCompressSync(content) : content, step)
  const digest = toHex(sha256(content))
  const index = encodeContentIndex({
    type: 'text/plain',
    size: content.length,
    sha256: digest,
    encoding,
    parts,
    ...says,
  })
  const [txid = ''] = store([node], index, index.length)
  return { parts, index, txid, path: `/v0/web/Nativecoin/${txid}` }
}

async function deny(value: string): Promise<void> {
  const entry = { ...parseDeniedValue('txid', value), reason: 'test', deniedBy: 'moderator' }
  await insertDenied(env.DB, entry, Date.now())
  expireDenylist()
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

describe('an index transaction that is asked for alone', () => {
  it('is answered with its content and its type, in the sandbox, and again from memory', async () => {
    for (const encoding of ['br', 'identity'] as const) {
      const content = fresh()
      const { path } = write(content, { encoding })
      for (const _ of ['first', 'again']) {
        const response = await get(path)
        expect([response.status, await response.text()]).toEqual([200, content.toString()])
        expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
        expect(response.headers.get('Content-Security-Policy')).toMatch(/^sandbox/)
        expect(response.headers.get('Cache-Control')).toMatch(/immutable/)
      }
      const part = await get(path, { headers: { Range: 'bytes=0-3' } })
      expect([part.status, await part.text()]).toEqual([206, 'some'])
    }
  })

  it('is a page for a POST whatever its type, and what it is as a blob, a transaction and with raw=1', async () => {
    const content = fresh()
    const { txid, path, index } = write(content)
    const asked = { blockchain: 'Nativecoin', txids: [txid] }
    const page = await post('/v0/web', asked)
    expect(page.headers.get('Content-Type')).toMatch(/^text\/html/)
    expect(await page.text()).toBe(content.toString())
    expect(await (await post('/v0/blob', asked)).text()).toBe(toHex(index))
    expect((await get(`/v0/chunk/Nativecoin/${txid}`)).headers.get('Content-Type')).toMatch(/json/)
    const raw = await get(`${path}?raw=1`)
    expect(raw.headers.get('Content-Type')).toBe('application/octet-stream')
    expect(toHex(await bytesOf(raw))).toBe(toHex(index))
    expect(await (await get(path)).text()).toBe(content.toString())
  })

  it('is sent to the storage host where a browser opens a page, by its type', async () => {
    const navigate = { headers: { 'Sec-Fetch-Mode': 'navigate' }, redirect: 'manual' as const }
    const page = write(fresh(), { type: 'text/html' })
    expect((await get(page.path, navigate)).status).toBe(302)
    const image = write(fresh(), { type: 'image/png' })
    expect((await get(image.path, navigate)).status).toBe(200)
  })

  it('has bytes for a type that no header may say', async () => {
    for (const type of ['text/html; charset=utf-7', 'no type', 'multipart/x-mixed-replace']) {
      const response = await get(write(fresh(), { type }).path)
      expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'application/octet-stream'])
    }
  })

  it('is the bytes it is where its content is not what it says, which is found once', async () => {
    const content = fresh()
    const wrong = [{ sha256: 'ab'.repeat(32) }, { size: content.length + 1 }]
    for (const says of wrong) {
      const { path, index } = write(content, says)
      expect(toHex(await bytesOf(await get(path)))).toBe(toHex(index))
      clearMemories()
      const asked = node.requests.length
      expect(toHex(await bytesOf(await get(path)))).toBe(toHex(index))
      expect(node.requests.length).toBe(asked)
    }
    const brotli = brotliCompressSync(fresh())
    const unlike = write(brotli, { encoding: 'identity' })
    expect((await bytesOf(await get(unlike.path))).equals(brotli)).toBe(true)
    const plain = store([node], fresh(), 20)
    const says = { type: 'text/plain', size: 5, sha256: 'ab'.repeat(32), encoding: 'br' as const, parts: plain }
    const [txid = ''] = store([node], encodeContentIndex(says), 9_000)
    expect(toHex(await bytesOf(await get(`/v0/web/Nativecoin/${txid}`)))).toBe(toHex(encodeContentIndex(says)))
  })

  it('is a 404 that is not kept while a part is missing, and there once that has come', async () => {
    const content = fresh()
    const { path, parts } = write(content)
    const [part = ''] = parts
    const hex = node.transactions.get(part) ?? ''
    node.transactions.delete(part)
    const missing = await get(path)
    expect([missing.status, missing.headers.get('Cache-Control'), await missing.text()]).toEqual([404, 'no-store', ''])
    node.transactions.set(part, hex)
    expect(await (await get(path)).text()).toBe(content.toString())
  })

  it('is 422 above what is served, before a part is read where it says so itself', async () => {
    const { path } = write(fresh(), { size: 2 ** 40 })
    const asked = node.requests.length
    const refused = await get(path)
    expect([refused.status, await code(refused)]).toEqual([422, 'content_too_large'])
    expect(node.requests.length).toBe(asked + 1)
  })

  it('is 422 where its parts together have more than is served, which no list says before', async () => {
    const [part = ''] = store([node], randomBytes(99_000), 99_000)
    const { path } = write(fresh(), { size: 170 * 99_000, encoding: 'identity', parts: Array(170).fill(part) })
    const refused = await get(path)
    expect([refused.status, await code(refused)]).toEqual([422, 'content_too_large'])
    const { path: smaller } = write(fresh(), { size: 99_000, encoding: 'identity', parts: [part] })
    expect((await get(smaller)).status).toBe(200)
  })

  it('is not looked into in a list, nor as a part of another', async () => {
    const { txid, index, parts } = write(fresh())
    const joined = await get(`/v0/web/Nativecoin/${txid},${parts[0]}`)
    expect(toHex((await bytesOf(joined)).subarray(0, index.length))).toBe(toHex(index))
    const says = { size: index.length, sha256: toHex(sha256(index)), encoding: 'identity' as const, parts: [txid] }
    const [outer = ''] = store([node], encodeContentIndex({ type: 'text/plain', ...says }), 9_000)
    expect(toHex(await bytesOf(await get(`/v0/web/Nativecoin/${outer}`)))).toBe(toHex(index))
  })

  it('is 451 where a part of it is denied or the index itself, from memory too', async () => {
    for (const which of ['part', 'index']) {
      const { path, parts, txid } = write(fresh())
      expect((await get(path)).status).toBe(200)
      const value = which === 'part' ? (parts.at(-1) ?? '') : txid
      await deny(value)
      expect((await get(path)).status).toBe(451)
      clearMemories()
      expect((await get(path)).status).toBe(451)
    }
  })

  it('is a website where its content is one, by the paths below it', async () => {
    const dag = new DagFixture()
    const root = await dag.addDirectory({ 'index.html': 'the page', 'app/main.js': `a script ${crypto.randomUUID()}` })
    const { path, txid, parts } = write(await carOf(dag, [root]), { type: 'application/vnd.ipld.car' }, 90)
    const moved = await get(path, { redirect: 'manual' })
    expect([moved.status, moved.headers.get('Location')]).toEqual([301, `${path}/`])
    expect(await (await get(`${path}/`)).text()).toBe('the page')
    const script = await get(`${path}/app/main.js`)
    expect([script.status, script.headers.get('Content-Type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    const page = await post('/v0/web', { blockchain: 'Nativecoin', txids: [txid] })
    expect(await page.text()).toBe('the page')
    expect((await get(`${path}/nowhere`)).status).toBe(404)
    await deny(parts[1] ?? '')
    expect((await get(`${path}/app/main.js`)).status).toBe(451)
  })

  it('has its content from R2 alone once it was read', async () => {
    const content = Buffer.alloc(3 << 20, fresh())
    const { path } = write(content)
    expect((await bytesOf(await get(path))).equals(content)).toBe(true)
    node.misbehave = () => new Response(null, { status: 500 })
    clearMemories()
    expect((await bytesOf(await get(path))).equals(content)).toBe(true)
  })
})
