import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { RecordKind } from '../../../worker/chain-content/content-record.ts'
import { contentKey, fetcherName } from '../../../worker/chain-content/content-record.ts'
import type { ContentRequest } from '../../../worker/chain-content/parse-request.ts'
import { readContent } from '../../../worker/chain-content/read-content.ts'
import { store, useScriptedNodes } from '../scripted-node.ts'

const nodes = useScriptedNodes()
const node = nodes['nativecoin.test']
let asked: ContentRequest
let key: string
const fetcher = () => env.CONTENT_FETCHER.get(env.CONTENT_FETCHER.idFromName(fetcherName(key)))
const fetchRecord = async (kind: RecordKind, lost?: boolean) =>
  (await fetcher().fetchRecord(asked, key, kind, lost)).outcome

/** Reads content for the first time, and waits until its copies are in R2. */
async function fetchAndKeep(): Promise<void> {
  expect(await fetchRecord('content')).toBe('found')
  await vi.waitUntil(() => runInDurableObject(fetcher(), (_, { storage }) => storage.kv.get(key) !== undefined))
  node.requests.length = 0
}

const post = (path: string) =>
  exports.default.fetch(`https://api.example${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(asked),
  })

beforeEach(() => {
  asked = { blockchain: 'Nativecoin', txids: store([node], crypto.getRandomValues(new Uint8Array(300)), 100) }
  key = contentKey(asked)
})

describe('the fetcher of a content that it put into R2', () => {
  it('leaves the node alone, for the raw transactions as well', async () => {
    await fetchAndKeep()
    expect([await fetchRecord('content'), await fetchRecord('tx')]).toEqual(['kept', 'kept'])
    expect(node.requests).toEqual([])
  })

  it('still knows so after it was evicted', async () => {
    await fetchAndKeep()
    await evictDurableObject(fetcher())
    expect(await fetchRecord('content')).toBe('kept')
  })

  it('asks the node again for a reader who does not find it there', async () => {
    await fetchAndKeep()
    expect(await fetchRecord('content', true)).toBe('found')
    expect(node.requests).toHaveLength(1)
  })
})

describe('content that was kept and is no longer in R2', () => {
  it('is read from the node, and kept again', async () => {
    await fetchAndKeep()
    await env.BUCKET.delete([`content/${key}`, `tx/${key}`])
    const response = await post('/v0/tx')
    expect([response.status, response.headers.get('Server-Timing')]).toEqual([
      200,
      expect.stringContaining('cache;desc=miss'),
    ])
    await vi.waitUntil(() => env.BUCKET.head(`tx/${key}`))
  })

  it('is read from R2 by who asked the fetcher, when it is', async () => {
    await fetchAndKeep()
    const response = await post('/v0/tx')
    expect([response.status, response.headers.get('Server-Timing')]).toEqual([200, 'cache;desc=r2'])
    expect(node.requests).toEqual([])
  })
})

describe('an R2 that hangs', () => {
  it('keeps no reader from what the node has', async () => {
    const ctx = { waitUntil: () => {} }
    const found = await readContent({ ...env, BUCKET: hanging(env.BUCKET) }, ctx, asked, key, 'content')
    expect(found?.tier).toBe('miss')
  })
})

describe('contents that may be large', () => {
  /** What only its number of transactions makes large. */
  const large = (): ContentRequest => ({
    blockchain: 'Nativecoin',
    txids: store([node], crypto.getRandomValues(new Uint8Array(30)), 1),
  })
  const fetchAtOnce = (count: number) => {
    const stub = env.CONTENT_FETCHER.get(env.CONTENT_FETCHER.newUniqueId())
    return Array.from({ length: count }, (_, index) => stub.fetchRecord(large(), `Nativecoin/${index}`, 'content'))
  }

  it('are fetched two at a time, the others when those are kept', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    node.misbehave = (answer) => gate.then(answer)
    const answers = fetchAtOnce(3)
    // Each content has four batches on their way.
    await vi.waitUntil(() => node.requests.length >= 8)
    const underWay = node.requests.length
    open()
    expect((await Promise.all(answers)).map(({ outcome }) => outcome)).toEqual(['found', 'found', 'found'])
    expect([underWay, new Set(node.requests.flat()).size]).toEqual([8, 90])
  })

  it('that would wait behind too many are refused, to be asked for again', async () => {
    const outcomes = await Promise.all(fetchAtOnce(11))
    const refused = outcomes.filter((answer) => answer.outcome === 'error')
    expect(refused).toEqual([expect.objectContaining({ status: 503, code: 'busy', headers: { 'Retry-After': '5' } })])
  })
})

/** A bucket that never answers a reader. */
function hanging(bucket: R2Bucket): R2Bucket {
  return new Proxy(bucket, {
    get: (target, name) => (name === 'get' ? () => new Promise(() => {}) : Reflect.get(target, name)),
  })
}
