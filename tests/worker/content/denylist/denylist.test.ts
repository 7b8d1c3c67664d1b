import { env } from 'cloudflare:workers'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeniedKind } from '../../../../contract/states.ts'
import { selectDeniedChanges } from '../../../../worker/content/denylist/denied.ts'
import { parseDeniedValue } from '../../../../worker/content/denylist/denied-value.ts'
import { EDGE_COPY } from '../../../../worker/content/denylist/edge-copy.ts'
import { insertDenied, liftDenied } from '../../../../worker/features/reports/sql/deny.ts'
import { AppError } from '../../../../worker/platform/http/errors.ts'

const TXID = 'ab'.repeat(32)
const CID_V0 = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'
const CID_V1 = CID.parse(CID_V0).toV1().toString()
const ITEM = '65f0a1b2c3d4e5f601020304'

/** A denylist as a new isolate has it. */
async function freshIsolate() {
  vi.resetModules()
  const module = await import('../../../../worker/content/denylist/denylist.ts')
  const waiting: Promise<unknown>[] = []
  isolates.push(waiting)
  return {
    ...module,
    ctx: { waitUntil: (promise: Promise<unknown>) => void waiting.push(promise) },
    settle: () => Promise.all(waiting.splice(0)),
    waiting,
  }
}

const deny = (kind: DeniedKind, value: string) =>
  insertDenied(env.DB, { ...parseDeniedValue(kind, value), reason: 'a court order', deniedBy: 'moderator' }, 1)
const lift = (kind: DeniedKind, value: string) =>
  liftDenied(env.DB, parseDeniedValue(kind, value), { by: 'moderator', reason: undefined, now: 2 })

/** Lets `ask` meet a D1 that is down. */
async function withoutD1<T>(ask: () => T): Promise<Awaited<T>> {
  const prepare = vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw new Error('D1_ERROR: D1 DB is overloaded')
  })
  try {
    return await ask()
  } finally {
    prepare.mockRestore()
  }
}

const isolates: Promise<unknown>[][] = []
afterEach(async () => {
  await Promise.all(isolates.splice(0).flat())
})
beforeEach(async () => {
  await caches.default.delete(EDGE_COPY)
  await env.DB.exec('DELETE FROM denied')
  vi.spyOn(console, 'error').mockImplementation(() => {})
})

describe('the denylist', () => {
  it('knows txids, content ids in every spelling and codec, and items', async () => {
    await deny('txid', TXID.toUpperCase())
    await deny('cid', CID_V0)
    await deny('item', ITEM)
    const { denylist, ctx } = await freshIsolate()
    const list = await denylist(env, ctx)
    expect(list.has('txid', TXID)).toBe(true)
    expect(list.has('txid', 'ac'.repeat(32))).toBe(false)
    expect(list.has('cid', CID_V0)).toBe(true)
    expect(list.has('cid', CID_V1)).toBe(true)
    expect(list.has('cid', CID.createV1(0x55, CID.parse(CID_V0).multihash))).toBe(true)
    expect(list.has('cid', 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')).toBe(false)
    expect(list.has('item', ITEM)).toBe(true)
    expect(list.has('item', ITEM.replace('1', '2'))).toBe(false)
  })

  it('knows a denied transaction by its CID as well', async () => {
    await deny('txid', `01${'ab'.repeat(31)}`)
    const { denylist, ctx } = await freshIsolate()
    const digest = Uint8Array.from([...new Uint8Array(31).fill(0xab), 1])
    const list = await denylist(env, ctx)
    expect(list.has('cid', CID.createV1(0xb1, create(0x56, digest)))).toBe(true)
    expect(list.has('cid', CID.createV1(0xb1, create(0x56, digest.toReversed())))).toBe(false)
  })

  it('forgets what was lifted and remembers what was denied again', async () => {
    const { denylist, ctx } = await freshIsolate()
    await deny('txid', TXID)
    expect((await denylist(env, ctx, Date.now())).has('txid', TXID)).toBe(true)
    await lift('txid', TXID)
    expect((await denylist(env, ctx, Date.now() + 50_000)).has('txid', TXID)).toBe(false)
    await deny('txid', TXID)
    expect((await denylist(env, ctx, Date.now() + 100_000)).has('txid', TXID)).toBe(true)
  })

  it('answers at once while fresh, looks in the background after 15 s, and before it answers after 45 s', async () => {
    const { denylist, ctx, settle, waiting } = await freshIsolate()
    const start = Date.now()
    await denylist(env, ctx, start)
    await settle()
    await deny('txid', TXID)

    const fresh = denylist(env, ctx, start + 14_000)
    expect(fresh).not.toBeInstanceOf(Promise)
    expect(waiting).toHaveLength(0)

    const aging = denylist(env, ctx, start + 20_000)
    expect(aging).not.toBeInstanceOf(Promise)
    expect((await aging).has('txid', TXID)).toBe(false)
    expect(waiting).toHaveLength(1)
    denylist(env, ctx, start + 20_001)
    expect(waiting).toHaveLength(1)
    await settle()
    expect((await denylist(env, ctx, start + 20_002)).has('txid', TXID)).toBe(true)

    await lift('txid', TXID)
    const both = [denylist(env, ctx, start + 90_000), denylist(env, ctx, start + 90_000)]
    for (const list of both) expect((await list).has('txid', TXID)).toBe(false)
  })

  it('reads only what changed', async () => {
    const { denylist, ctx } = await freshIsolate()
    await deny('txid', TXID)
    const start = Date.now()
    const version = (await denylist(env, ctx, start)).version
    const prepare = vi.spyOn(env.DB, 'prepare')
    await denylist(env, ctx, start + 60_000)
    expect(prepare.mock.calls).toHaveLength(3)
    prepare.mockRestore()
    expect(await selectDeniedChanges(env.DB, version, 10)).toEqual({ changes: [], last: version })
    expect((await selectDeniedChanges(env.DB, version - 1, 10)).changes).toHaveLength(1)
  })

  it('goes on with what it knows while D1 is down, and asks it again only after a pause', async () => {
    const { denylist, ctx } = await freshIsolate()
    await deny('txid', TXID)
    const start = Date.now()
    await denylist(env, ctx, start)
    expect((await withoutD1(() => denylist(env, ctx, start + 600_000))).has('txid', TXID)).toBe(true)
    expect(denylist(env, ctx, start + 601_000)).not.toBeInstanceOf(Promise)
    expect(denylist(env, ctx, start + 604_000)).toBeInstanceOf(Promise)
  })

  it('answers 503 while it knows nothing and D1 is down', async () => {
    const { denylist, ctx } = await freshIsolate()
    const asked = withoutD1(() => denylist(env, ctx))
    await expect(asked).rejects.toMatchObject({ status: 503, code: 'denylist_unavailable' })
  })

  it('F8: is taken from the edge by a new isolate while D1 is down', async () => {
    await deny('txid', TXID)
    const first = await freshIsolate()
    const start = Date.now()
    await first.denylist(env, first.ctx, start)
    await first.settle()
    const second = await freshIsolate()
    const list = await withoutD1(() => second.denylist(env, second.ctx, start + 600_000))
    expect(list.has('txid', TXID)).toBe(true)
    const third = await freshIsolate()
    await expect(withoutD1(() => third.denylist(env, third.ctx, start + 90_000_000))).rejects.toMatchObject({
      status: 503,
    })
  })

  it('R27: is read once for all that wait for it, however many came, when it is old and when nothing is known', async () => {
    await deny('txid', TXID)
    const { denylist, ctx, settle } = await freshIsolate()
    const start = Date.now()
    const batch = vi.spyOn(env.DB, 'batch')
    const askTogether = async (now: number) => {
      const before = batch.mock.calls.length
      const lists = await Promise.all(Array.from({ length: 50 }, () => denylist(env, ctx, now)))
      expect(lists.every((list) => list.has('txid', TXID))).toBe(true)
      return batch.mock.calls.length - before
    }
    try {
      expect(await askTogether(start)).toBe(1)
      expect(await askTogether(start + 60_000)).toBe(1)
      await settle()
    } finally {
      batch.mockRestore()
    }
  })

  it('R27: is asked for once of a D1 that is down, and refuses all that wait', async () => {
    const { denylist, ctx } = await freshIsolate()
    const prepare = vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('D1_ERROR: D1 DB is overloaded')
    })
    try {
      const asked = await Promise.allSettled(Array.from({ length: 50 }, () => denylist(env, ctx)))
      const reasons = asked.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
      expect(reasons).toHaveLength(50)
      for (const reason of reasons) expect(reason).toMatchObject({ status: 503, code: 'denylist_unavailable' })
      expect(prepare).toHaveBeenCalledTimes(1)
    } finally {
      prepare.mockRestore()
    }
  })

  it('is read again by who waits, where a change was made here since the other reading began', async () => {
    const { denylist, ctx, expireDenylist } = await freshIsolate()
    const start = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    try {
      await denylist(env, ctx)
      vi.setSystemTime(start + 60_000)
      const reading = denylist(env, ctx)
      // Whichever of the two comes to D1 first.
      await deny('item', ITEM)
      vi.setSystemTime(start + 61_000)
      expireDenylist()
      const waiting = denylist(env, ctx)
      await reading
      expect((await waiting).has('item', ITEM)).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })

  it('goes on from the copy at the edge to what changed since', async () => {
    await deny('txid', TXID)
    const first = await freshIsolate()
    await first.denylist(env, first.ctx)
    await first.settle()
    await lift('txid', TXID)
    await deny('item', ITEM)
    const second = await freshIsolate()
    const list = await second.denylist(env, second.ctx)
    expect([list.has('txid', TXID), list.has('item', ITEM)]).toEqual([false, true])
  })

  it('is read anew when the database was put back to an earlier time', async () => {
    await deny('item', ITEM)
    await deny('txid', TXID)
    const { denylist, ctx } = await freshIsolate()
    const start = Date.now()
    const { version } = await denylist(env, ctx, start)
    await env.DB.prepare('DELETE FROM denied WHERE value = ?').bind(TXID).run()
    const list = await denylist(env, ctx, start + 60_000)
    expect([list.has('txid', TXID), list.has('item', ITEM)]).toEqual([false, true])
    await deny('cid', CID_V0)
    const later = await denylist(env, ctx, start + 120_000)
    expect(later.has('cid', CID_V1)).toBe(true)
    expect(later.version).not.toBe(version)
  })

  it('is read again at once where a change was just made', async () => {
    const { denylist, ctx, expireDenylist } = await freshIsolate()
    await denylist(env, ctx)
    await deny('item', ITEM)
    expireDenylist()
    expect((await denylist(env, ctx)).has('item', ITEM)).toBe(true)
  })

  it('refuses with 451 a list that holds one denied transaction', async () => {
    const { denylist, ctx, refuseDenied } = await freshIsolate()
    await deny('txid', TXID)
    const list = await denylist(env, ctx)
    const ask = (txids: string[]) => () => refuseDenied(list, { txids })
    expect(ask(['00'.repeat(32), 'ac'.repeat(32)])).not.toThrow()
    expect(ask(['00'.repeat(32), TXID])).toThrow(expect.objectContaining({ status: 451, code: 'denied' }))
    expect(() => refuseDenied(list, { item: ITEM, cids: [CID_V1] })).not.toThrow()
  })
})

describe('a value of the denylist', () => {
  it.each([
    ['txid', 'ab'],
    ['cid', 'not a cid'],
    ['cid', ''],
    ['item', ITEM.toUpperCase()],
  ] as const)('refuses %s %s', (kind, value) => {
    expect(() => parseDeniedValue(kind, value)).toThrow(AppError)
  })

  it('keeps a content id as CIDv1 in base32', () => {
    expect(parseDeniedValue('cid', CID_V0).value).toBe(CID_V1)
  })
})
