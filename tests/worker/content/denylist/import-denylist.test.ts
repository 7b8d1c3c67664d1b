import { env } from 'cloudflare:workers'
import { CID } from 'multiformats/cid'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { collectDenylist, DENYLIST_LIMITS } from '../../../../worker/content/denylist/collect-denylist.ts'
import { parseDeniedValue } from '../../../../worker/content/denylist/denied-value.ts'
import { selectDenylistImport } from '../../../../worker/content/denylist/denylist-import.ts'
import { EDGE_COPY } from '../../../../worker/content/denylist/edge-copy.ts'
import { exportDenylist } from '../../../../worker/content/denylist/export-denylist.ts'
import { importDenylist } from '../../../../worker/content/denylist/import-denylist.ts'
import { ImportedList } from '../../../../worker/content/denylist/imported-list.ts'
import { insertDenied } from '../../../../worker/features/reports/sql/deny.ts'
import { selectAudit } from '../../../../worker/platform/records/audit-log.ts'
import { streamOf } from './stream-of.ts'

/** The rules of IPIP-383's own examples, and what each blocks. */
const LEGACY = CID.parse('bafybeiefwqslmf6zyyrxodaxx4vwqircuxpza5ri45ws3y5a62ypxti42e')
const HASHED = CID.parse('QmVTF1yEejXd9iMgoRTFDxBv7HAz9kuZcQNBzHrceuK9HR')
const PLAIN = CID.parse('bafybeihvvulpp4evxj7x7armbqcyg6uezzuig6jp3lktpbovlqfkuqeuoq')
const LIST = `version: 1
name: IPFSorp blocking list
hints:
  gateway_status: 410
---
# Blocking by CID
/ipfs/${PLAIN} reason=test
/ipfs/QmdWFA9FL52hx3j9EJZPQP1ZUH8Ygi5tLCX2cRDs6knSf8/*
/ipfs/Qmah2YDTfrox4watLCr3YgKyBwvjq8FJZEFdWY6WtJ3Xt2/test*
/ipns/domain.example
//d9d295bde21f422d471a90f2a37ec53049fdf3e5fa3ee2e8f20e10003da429e7
//3f8b9febd851873b3774b937cce126910699ceac56e72e64b866f8e258d09572
//QmX9dhRcQcKUw3Ws8485T5a9dtjrSCQaUAHnG4iK9i4ceM
//gW813G35CnLsy7gRYYHuf63hrz71U1xoLFDVeV7actx6oX
/ipfs/QmPZ9gcCEpqKTo6aq61g2nXGUhM4iCL3ewB6LDXZCtioEB
+/ipfs/QmPZ9gcCEpqKTo6aq61g2nXGUhM4iCL3ewB6LDXZCtioEB
`

const URL_OF_LIST = 'https://badbits.example/list.deny'
const settings = { ...env, DENYLIST_URL: URL_OF_LIST }
const HOUR = 3_600_000
const body = (text: string) => new Blob([text]).stream()
const read = async (text: string, limits = DENYLIST_LIMITS) => {
  const collected = await collectDenylist(body(text), async () => {}, limits)
  return { ...collected, list: new ImportedList('test', collected.bytes.slice().buffer) }
}

let answer: () => Response
beforeEach(async () => {
  await caches.default.delete(EDGE_COPY)
  await env.DB.exec(
    'UPDATE denylist_import SET url = NULL, etag = NULL, object = NULL, previous = NULL, entries = 0, skipped = 0, left_out = 0, checked_at = 0, changed_at = NULL, problem = NULL',
  )
  await env.DB.exec('DELETE FROM denied')
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answer())
})
afterEach(() => void vi.restoreAllMocks())

describe('a compact denylist (IPIP-383)', () => {
  it('is read as its specification has it: CIDs, names and both kinds of double hashes', async () => {
    const { list, entries, skipped } = await read(LIST)
    // A pattern of paths and a hash of another kind are of no use here; the last CID has an exception.
    expect([entries, skipped]).toEqual([6, 2])
    expect(list.hasCid(PLAIN)).toBe(true)
    expect(list.hasCid(CID.createV1(0x55, PLAIN.multihash))).toBe(true)
    expect(list.hasCid(CID.parse('QmdWFA9FL52hx3j9EJZPQP1ZUH8Ygi5tLCX2cRDs6knSf8'))).toBe(true)
    expect(list.hasCid(LEGACY)).toBe(true)
    expect(list.hasCid(HASHED)).toBe(true)
    expect(list.hasCid(HASHED.toV1())).toBe(true)
    expect(list.hasPath(LEGACY, 'path')).toBe(true)
    expect(list.hasPath(LEGACY, 'path/below')).toBe(false)
    expect(list.hasName('domain.example')).toBe(true)
    expect(list.hasName('another.example')).toBe(false)
    expect(list.hasCid(CID.parse('QmPZ9gcCEpqKTo6aq61g2nXGUhM4iCL3ewB6LDXZCtioEB'))).toBe(false)
    expect(list.hasCid(CID.parse('QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'))).toBe(false)
  })

  it('R22: of more rules than are taken keeps the first, and says how many it left out', async () => {
    const line = (n: number) => `//${n.toString(16).padStart(64, '0')}\n`
    const text = Array.from({ length: 30 }, (_, n) => line(n * 2 ** 40 + 1)).join('')
    expect(await read(text, { ...DENYLIST_LIMITS, entries: 20 })).toMatchObject({ leftOut: 10 })
  })

  it('R22: is refused when it is too large, or holds no rule: an error page is no list', async () => {
    await expect(read('x'.repeat(2000), { ...DENYLIST_LIMITS, bytes: 1000 })).rejects.toThrow('1000 bytes')
    await expect(read('<!doctype html><title>Sorry</title>')).rejects.toThrow('no rule')
  })

  it('R22: loses no rule to a line that is too long, whichever way its bytes are cut', async () => {
    const text = `//${'ab'.repeat(5000)}\n/ipfs/${PLAIN}\n`
    const bytes = new TextEncoder().encode(text)
    for (const size of [1, 7, 4096, 20_000]) {
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      )
      const collected = await collectDenylist(streamOf(parts), async () => {})
      expect([size, collected.entries, collected.skipped]).toEqual([size, 1, 1])
    }
  })
})

describe('the list that is followed', () => {
  const freshIsolate = async () => {
    vi.resetModules()
    const module = await import('../../../../worker/content/denylist/denylist.ts')
    const waiting: Promise<unknown>[] = []
    const ctx = { waitUntil: (promise: Promise<unknown>) => void waiting.push(promise) }
    return { ...module, ctx, settle: () => Promise.all(waiting.splice(0)) }
  }

  it('is in force in a new isolate at its first answer, and in an old one within a minute', async () => {
    const old = await freshIsolate()
    const start = Date.now()
    expect((await old.denylist(env, old.ctx, start)).has('cid', PLAIN)).toBe(false)
    answer = () => new Response(LIST, { headers: { ETag: '"1"' } })
    await importDenylist(settings, start)
    const fresh = await freshIsolate()
    expect((await fresh.denylist(env, fresh.ctx, start)).has('cid', PLAIN)).toBe(true)
    await old.denylist(env, old.ctx, start + 46_000)
    await old.settle()
    const after = await old.denylist(env, old.ctx, start + 46_001)
    expect(after.has('cid', PLAIN)).toBe(true)
    expect(after.hasName('domain.example')).toBe(true)
    await fresh.settle()
  })

  it('is asked for once an hour, with its tag, and changes nothing while it is as it was', async () => {
    const asked = vi.mocked(globalThis.fetch)
    answer = () => new Response(LIST, { headers: { ETag: '"1"' } })
    await importDenylist(settings, HOUR)
    await importDenylist(settings, HOUR + 1)
    expect(asked).toHaveBeenCalledTimes(1)
    answer = () => new Response(null, { status: 304 })
    await importDenylist(settings, 2 * HOUR + 1)
    expect(new Headers(asked.mock.calls[1]?.[1]?.headers).get('If-None-Match')).toBe('"1"')
    expect(await selectDenylistImport(env.DB)).toMatchObject({ entries: 6, changedAt: HOUR, problem: null })
  })

  it('stays in force when it cannot be read, which the row tells of, and is tried again sooner', async () => {
    answer = () => new Response(LIST)
    await importDenylist(settings, HOUR)
    const before = await selectDenylistImport(env.DB)
    answer = () => new Response('gone', { status: 503 })
    await importDenylist(settings, 3 * HOUR)
    expect(await selectDenylistImport(env.DB)).toMatchObject({
      object: before.object,
      problem: expect.stringContaining('503'),
    })
    answer = () => new Response(`${LIST}/ipfs/${LEGACY}\n`)
    await importDenylist(settings, 3 * HOUR + 600_000)
    expect(await selectDenylistImport(env.DB)).toMatchObject({ entries: 7, problem: null, previous: before.object })
  })

  it('is read by one of many runs of the clock at once', async () => {
    answer = () => new Response(LIST)
    await Promise.all([1, 2, 3, 4].map(() => importDenylist(settings, HOUR)))
    expect(vi.mocked(globalThis.fetch)).toHaveBeenCalledTimes(1)
  })

  it('is left when the operator follows none any more; the audit log tells of both', async () => {
    answer = () => new Response(LIST)
    await importDenylist(settings, HOUR)
    await importDenylist(env, 2 * HOUR)
    const { denylist, ctx, settle } = await freshIsolate()
    expect((await denylist(env, ctx)).has('cid', PLAIN)).toBe(false)
    await settle()
    const [left, followed] = await selectAudit(env.DB, { account: undefined, before: 2 ** 50, limit: 2 })
    expect(followed).toMatchObject({ actor: 'service', act: 'denylist.imported', subject: `url:${URL_OF_LIST}` })
    expect(left?.reason).toBe('no list is followed any more')
  })

  it('answers 503 for content of IPFS, and nothing else, where it is in force and cannot be read', async () => {
    answer = () => new Response(LIST)
    await importDenylist(settings, HOUR)
    await env.BUCKET.delete((await selectDenylistImport(env.DB)).object ?? '')
    const { denylist, ctx, settle } = await freshIsolate()
    const list = await denylist(env, ctx)
    expect(() => list.has('cid', PLAIN)).toThrow(expect.objectContaining({ code: 'denylist_unavailable' }))
    expect(list.has('txid', 'ab'.repeat(32))).toBe(false)
    await settle()
  })
})

describe('the export', () => {
  it('is a list that denies the same when it is followed', async () => {
    for (const [kind, value] of [
      ['cid', String(PLAIN)],
      ['txid', `01${'ab'.repeat(31)}`],
      ['item', '65f0a1b2c3d4e5f601020304'],
    ] as const) {
      await insertDenied(env.DB, { ...parseDeniedValue(kind, value), reason: 'secret', deniedBy: 'moderator' }, 1)
    }
    const text = await new Response(exportDenylist(env.DB, 'api.example')).text()
    expect(text).not.toMatch(/secret|moderator|bafy/)
    const { list, entries, skipped } = await read(text)
    expect([entries, skipped]).toEqual([2, 0])
    expect(list.hasCid(PLAIN)).toBe(true)
  })
})
