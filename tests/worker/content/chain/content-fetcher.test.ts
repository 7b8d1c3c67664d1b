import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { RECORD_PREFIX } from '../../../../worker/content/chain/bucket-records.ts'
import { listName, type RecordKind } from '../../../../worker/content/chain/content-record.ts'
import { openContentStore } from '../../../../worker/content/chain/content-store.ts'
import { fetcherName } from '../../../../worker/content/chain/fetcher-name.ts'
import { PACK_PREFIX } from '../../../../worker/content/chain/packs.ts'
import type { ContentRequest } from '../../../../worker/content/chain/parse-request.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'

const nodes = useScriptedNodes()
const node = nodes['nativecoin.test']
let asked: ContentRequest

const fetcherOf = (request: ContentRequest) => env.CONTENT_FETCHER.getByName(fetcherName(request, listName(request)))
const fetchRecord = async (kind: RecordKind, request = asked, lost = false) =>
  (await fetcherOf(request).fetchRecord(request, kind, { lost })).outcome
const recordKey = (request: ContentRequest) => RECORD_PREFIX + listName(request)

/** Reads content and waits until its copies are in R2. */
async function fetchAndKeep(request = asked): Promise<void> {
  expect(await fetchRecord('content', request)).toBe('found')
  await kept(request)
  node.requests.length = 0
}

/** Waits until the fetcher has written down what it kept of a list. */
async function kept(request: ContentRequest): Promise<void> {
  const count = (storage: DurableObjectStorage) =>
    [...storage.sql.exec('SELECT 1 FROM lists WHERE name = ?', listName(request))].length
  const isKept = () => runInDurableObject(fetcherOf(request), (_, { storage }) => count(storage) > 0)
  await vi.waitUntil(isKept, { timeout: 60_000, interval: 5 })
}

async function post(path: string, request = asked) {
  const response = await exports.default.fetch(`https://api.example${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, tier: response.headers.get('Server-Timing'), bytes }
}

/** The key of the one pack that holds this list. */
async function packOf(request: ContentRequest): Promise<string> {
  const places = await runInDurableObject(fetcherOf(request), (_, { storage }) => [
    ...storage.sql.exec<{ pack: string }>(
      `SELECT json_extract(reads, '$[0][0]') AS pack FROM lists WHERE name = ?`,
      listName(request),
    ),
  ])
  return `${PACK_PREFIX}${request.blockchain}/${places[0]?.pack}`
}

/** A list of so many transactions, of which nobody knows anything yet, with so many bytes each. */
function listOf(count: number, bytes = 100): ContentRequest {
  const txids = Array.from({ length: count }, () => {
    const data = crypto.getRandomValues(new Uint8Array(bytes))
    return store([node], data, bytes)
  })
  return { blockchain: 'Nativecoin', txids: txids.flat() }
}

beforeEach(() => {
  asked = listOf(3)
})

describe('the fetcher of a list that it kept', () => {
  it('leaves the node alone, for the raw transactions as well', async () => {
    await fetchAndKeep()
    expect(await fetchRecord('content')).toBe('kept')
    expect((await post('/v0/tx')).tier).toBe('cache;desc=r2')
    expect(node.requests).toEqual([])
  })

  it('still knows so after it was evicted', async () => {
    await fetchAndKeep()
    await evictDurableObject(fetcherOf(asked))
    expect(await fetchRecord('content')).toBe('kept')
  })

  it('makes the record again, of its packs, for a reader who does not find it', async () => {
    await fetchAndKeep()
    await env.BUCKET.delete(recordKey(asked))
    const { status, tier } = await post('/v0/blob')
    expect([status, tier]).toEqual([200, 'cache;desc=r2'])
    expect(node.requests).toEqual([])
    await vi.waitUntil(() => env.BUCKET.head(recordKey(asked)), 60_000)
  })

  it('asks the node again when the packs are gone too, and keeps what it gets', async () => {
    await fetchAndKeep()
    const lost = await packOf(asked)
    await env.BUCKET.delete([recordKey(asked), lost])
    expect((await post('/v0/blob')).tier).toMatch(/^cache;desc=miss/)
    await vi.waitUntil(() => env.BUCKET.head(recordKey(asked)), 60_000)
    await vi.waitUntil(async () => (await packOf(asked)) !== lost, 60_000)
    expect(await env.BUCKET.head(await packOf(asked))).not.toBeNull()
  })
})

describe('transactions in packs', () => {
  it('R24: are kept once, however the lists that share them are ordered and repeated', async () => {
    await fetchAndKeep()
    const [a = '', b = '', c = ''] = asked.txids
    const pack = await packOf(asked)
    for (const txids of [[c, b, a], [a, a, b], [b], [c, a]]) {
      await fetchAndKeep({ ...asked, txids })
      expect(await packOf({ ...asked, txids })).toBe(pack)
    }
  })

  it('are not asked of the node again for another list', async () => {
    await fetchAndKeep()
    const { status, tier, bytes } = await post('/v0/tx', { ...asked, txids: asked.txids.toReversed() })
    expect([status, tier, node.requests]).toEqual([200, 'cache;desc=r2', []])
    const straight = await post('/v0/tx')
    expect(bytes.length).toBe(straight.bytes.length)
  })

  it('of which some are kept leave only the others to the node', async () => {
    await fetchAndKeep()
    const more = listOf(2)
    expect((await post('/v0/blob', { ...asked, txids: [...asked.txids, ...more.txids] })).status).toBe(200)
    expect(node.requests).toEqual([more.txids])
  })

  it('are believed only when they hash to their txid: altered ones are fetched and kept anew', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await fetchAndKeep()
    const before = await post('/v0/tx')
    const key = await packOf(asked)
    const object = await env.BUCKET.get(key)
    const bytes = new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0))
    bytes[60] = (bytes[60] ?? 0) ^ 1
    await env.BUCKET.put(key, bytes)
    await env.BUCKET.delete(recordKey(asked))
    const reversed = { ...asked, txids: asked.txids.toReversed() }
    const after = await post('/v0/tx', reversed)
    expect([after.status, after.bytes.length]).toEqual([200, before.bytes.length])
    expect(node.requests).toHaveLength(1)
    await kept(reversed)
    node.requests.length = 0
    expect((await post('/v0/tx', { ...asked, txids: [...reversed.txids, ...reversed.txids] })).status).toBe(200)
    expect(node.requests).toEqual([])
  })

  it('of one chain are not those of another', async () => {
    await fetchAndKeep()
    expect((await post('/v0/tx', { blockchain: 'Dogecoin', txids: asked.txids })).status).toBe(404)
  })
})

describe('the R2 operations of one list', () => {
  it('are at most 64 for what was fetched together, whatever it has', async () => {
    const list = listOf(70, 60_000)
    await fetchAndKeep(list)
    const bucket = counting(env.BUCKET)
    const reads = await runInDurableObject(fetcherOf(list), async (fetcher) => {
      Object.assign(Reflect.get(fetcher, 'env'), { BUCKET: bucket.bucket })
      const answer = await fetcher.fetchRecord(list, 'tx')
      return answer.outcome === 'found' ? answer.tier : answer.outcome
    })
    expect(reads).toBe('r2')
    expect(bucket.operations()).toBeLessThanOrEqual(64)
    expect(node.requests).toEqual([])
  })

  it('R24: are at most 64 for a list made of many others: the rest is asked of the node, and kept together', async () => {
    const lists = Array.from({ length: 64 }, () => listOf(1))
    for (const list of lists) await fetchAndKeep(list)
    const mixed = { ...asked, txids: lists.flatMap(({ txids }) => txids) }
    await fetchAndKeep(mixed)
    const bucket = counting(env.BUCKET)
    const tier = await runInDurableObject(fetcherOf(mixed), async (fetcher) => {
      Object.assign(Reflect.get(fetcher, 'env'), { BUCKET: bucket.bucket })
      const answer = await fetcher.fetchRecord(mixed, 'tx')
      return answer.outcome === 'found' ? answer.tier : answer.outcome
    })
    expect([tier, node.requests]).toEqual(['r2', []])
    expect(bucket.operations()).toBeLessThanOrEqual(64)
  })
})

describe('an R2 that hangs', () => {
  it('keeps no reader from what the node has', async () => {
    const ctx = { waitUntil: () => {} }
    const tiers = openContentStore({ env: { ...env, BUCKET: hanging(env.BUCKET) }, ctx, client: undefined })
    expect((await tiers.read(asked, 'content'))?.tier).toBe('miss')
  })
})

describe('lists that nobody has yet', () => {
  it('and that would wait behind too many are refused, to be asked for again', async () => {
    const stub = env.CONTENT_FETCHER.get(env.CONTENT_FETCHER.newUniqueId())
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    node.misbehave = (answer) => gate.then(answer)
    const waiting = Array.from({ length: 300 }, () => stub.fetchRecord(listOf(1), 'content'))
    const refused = await Promise.race(waiting.map(async (answer) => await refusalOf(answer)))
    open()
    expect(refused).toMatchObject({ status: 503, code: 'busy', headers: { 'Retry-After': '5' } })
    await Promise.all(waiting)
  })
})

async function refusalOf(answer: ReturnType<ReturnType<typeof fetcherOf>['fetchRecord']>) {
  const outcome = await answer
  return outcome.outcome === 'error' ? outcome : await new Promise<never>(() => {})
}

/** A bucket that never answers a reader. */
function hanging(bucket: R2Bucket): R2Bucket {
  return new Proxy(bucket, {
    get: (target, name) => (name === 'get' ? () => new Promise(() => {}) : Reflect.get(target, name)),
  })
}

/** A bucket that counts what is asked of it. */
function counting(bucket: R2Bucket): { bucket: R2Bucket; operations: () => number } {
  let operations = 0
  const counted = new Proxy(bucket, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...values: unknown[]) => {
        operations++
        return Reflect.apply(member, target, values)
      }
    },
  })
  return { bucket: counted, operations: () => operations }
}
