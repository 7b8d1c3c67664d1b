import { env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { getRecord, putRecord, RECORD_PREFIX } from '../../../../worker/content/chain/bucket-records.ts'
import { listName, recordName } from '../../../../worker/content/chain/content-record.ts'
import { getEdgeRecord, putEdgeRecord } from '../../../../worker/content/chain/edge-records.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'

const nodes = useScriptedNodes()
const node = nodes['nativecoin.test']
const API = 'https://api.example'
const post = (path: string, txids: string[]) =>
  exports.default.fetch(`${API}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ blockchain: 'Nativecoin', txids }),
  })
const digestOf = (txids: string[]) =>
  createHash('sha256')
    .update(Buffer.from(txids.join(''), 'hex'))
    .digest('hex')
const txids64 = fc.array(
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => toHex(bytes)),
  { minLength: 1, maxLength: 4 },
)

let stored: Uint8Array
let txids: string[]

beforeEach(() => {
  stored = crypto.getRandomValues(new Uint8Array(300))
  txids = store([node], stored, 100)
})

describe('the name of a list of transactions', () => {
  it('R23: is no transaction: what a list gave is not found under any name that can be made of the list', async () => {
    expect((await post('/v0/blob', txids)).status).toBe(200)
    await vi.waitUntil(() => env.BUCKET.head(RECORD_PREFIX + listName({ blockchain: 'Nativecoin', txids })), 60_000)
    const own = listName({ blockchain: 'Nativecoin', txids }).slice('Nativecoin/'.length)
    for (const name of [digestOf(txids), own]) {
      for (const path of [`/v0/web/Nativecoin/${name}`, `/v0/tx/Nativecoin/${name}`]) {
        expect([path, (await exports.default.fetch(API + path)).status]).toEqual([path, 404])
      }
    }
  })

  it('R23: differs for every list, chain and order, and is never the txid of a lone one', () => {
    const lists = fc.record({ blockchain: fc.constantFrom('Bitcoin', 'Dogecoin', 'Nativecoin'), txids: txids64 })
    fc.assert(
      fc.property(lists, lists, (a, b) => {
        const same = a.blockchain === b.blockchain && a.txids.join() === b.txids.join()
        expect(listName(a) === listName(b)).toBe(same)
        expect(listName({ ...a, txids: a.txids.slice(0, 1) })).not.toContain(a.txids[0])
      }),
    )
  })

  it('differs for content and for transactions', () => {
    const list = listName({ blockchain: 'Nativecoin', txids })
    expect(recordName('content', list)).not.toBe(recordName('tx', list))
  })
})

describe('what a tier has under a name', () => {
  const record = { body: Uint8Array.of(1, 2, 3), form: { encoding: 'identity' as const } }
  const other = listName({ blockchain: 'Nativecoin', txids: ['a'.repeat(64)] })
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))

  it('R23: is not taken from R2 when it was stored for another request, and is removed', async () => {
    const list = listName({ blockchain: 'Nativecoin', txids })
    await putRecord(env.BUCKET, other, [record.body], record.form)
    const object = await env.BUCKET.get(RECORD_PREFIX + other)
    const { customMetadata = {} } = object ?? {}
    const bytes = (await object?.arrayBuffer()) ?? new ArrayBuffer(0)
    const sha256 = await crypto.subtle.digest('SHA-256', bytes)
    await env.BUCKET.put(RECORD_PREFIX + list, bytes, { customMetadata, sha256 })
    expect(await getRecord(env.BUCKET, list)).toBeUndefined()
    expect(await env.BUCKET.head(RECORD_PREFIX + list)).toBeNull()
    expect(await (await post('/v0/blob', txids)).text()).toBe(toHex(stored))
  })

  it('is not taken from R2 when its bytes were altered', async () => {
    const list = listName({ blockchain: 'Nativecoin', txids })
    await env.BUCKET.put(RECORD_PREFIX + list, 'altered', { customMetadata: { encoding: 'identity', list } })
    expect(await (await post('/v0/blob', txids)).text()).toBe(toHex(stored))
  })

  it('has the charsets of the content, and is not taken where they are missing or altered', async () => {
    const { body } = record
    const form = { encoding: 'identity' as const, charsets: { html: 'shift_jis', utf8: true } }
    const key = RECORD_PREFIX + other
    await env.BUCKET.delete(key)
    await putRecord(env.BUCKET, other, [body], form)
    expect(await getRecord(env.BUCKET, other)).toEqual({ body, form })
    const sha256 = await crypto.subtle.digest('SHA-256', body)
    for (const charsets of [{}, { charsets: ',"x,,,utf-8' }, { charsets: 'utf-8' }]) {
      const customMetadata = { list: other, encoding: 'identity', decoded: '', root: '', ...charsets }
      await env.BUCKET.put(key, body, { customMetadata, sha256 })
      expect(await getRecord(env.BUCKET, other)).toBeUndefined()
    }
  })

  it('R23: is not taken from the edge cache when it was kept for another request', async () => {
    const name = recordName('content', other)
    await putEdgeRecord(name, record)
    expect(await getEdgeRecord(name)).toEqual(record)
    const url = 'https://content.hookline.invalid/'
    const kept = await caches.default.match(url + name)
    const wrong = recordName('content', listName({ blockchain: 'Nativecoin', txids }))
    if (kept) await caches.default.put(url + wrong, kept)
    expect(await getEdgeRecord(wrong)).toBeUndefined()
  })
})
