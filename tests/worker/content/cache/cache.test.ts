import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { deleteOldAdmissions, insertAdmission, selectAdmissions } from '../../../../worker/content/cache/admissions.ts'
import { admitToCache } from '../../../../worker/content/cache/admit-to-cache.ts'
import { sweepCache } from '../../../../worker/content/cache/sweep-cache.ts'
import { clearMemories } from '../../clear-memories.ts'
import { faultyEnv } from '../../faulty-env.ts'

const HOUR = 3_600_000
const now = 500_000 * HOUR
const MIB = 1 << 20
const hourly = (bytes: number) => ({ ...env, CACHE_BYTES_PER_HOUR: String(bytes) })

beforeEach(async () => {
  clearMemories()
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await env.DB.prepare('DELETE FROM cache_admissions').run()
})

describe('the bytes that a cache takes in an hour', () => {
  it('R24: are never more than the operator allows, however many isolates ask at once', async () => {
    const limited = hourly(100 * MIB)
    const admitted = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        // Each is an isolate of its own, that has reserved nothing.
        if (index % 10 === 0) clearMemories()
        return await admitToCache(limited, 'chain', MIB, now)
      }),
    )
    const bytes = admitted.filter(Boolean).length * MIB
    expect(bytes).toBeLessThanOrEqual(100 * MIB)
    expect(bytes).toBeGreaterThan(50 * MIB)
    expect((await selectAdmissions(env.DB, now)).chain).toBeLessThanOrEqual(100 * MIB)
  })

  it('begin anew with the next hour', async () => {
    const limited = hourly(10 * MIB)
    while (await admitToCache(limited, 'chain', MIB, now)) {}
    expect(await admitToCache(limited, 'chain', MIB, now + HOUR - 1)).toBe(false)
    expect(await admitToCache(limited, 'chain', MIB, now + HOUR)).toBe(true)
  })

  it('of one cache take nothing from the other', async () => {
    const limited = hourly(MIB)
    while (await admitToCache(limited, 'chain', 4096, now)) {}
    expect(await admitToCache(limited, 'ipfs', MIB, now)).toBe(true)
  })

  it('are none when the operator says so, and none for a single thing larger than the hour', async () => {
    expect(await admitToCache(hourly(0), 'chain', 1, now)).toBe(false)
    expect(await admitToCache(hourly(MIB), 'chain', MIB + 1, now)).toBe(false)
  })

  it('count small objects as what they cost', async () => {
    let count = 0
    while (await admitToCache(hourly(MIB), 'chain', 1, now)) count++
    expect(count).toBeLessThanOrEqual(256)
  })

  it('are reserved 8 MiB at a time, or a 64th of the hour, never less than is asked for or a small object costs', async () => {
    const reserved = async (bytesPerHour: number, bytes: number) => {
      clearMemories()
      await env.DB.prepare('DELETE FROM cache_admissions').run()
      expect(await admitToCache(hourly(bytesPerHour), 'chain', bytes, now)).toBe(true)
      return (await selectAdmissions(env.DB, now)).chain
    }
    expect([await reserved(2 ** 40, 1), await reserved(2 ** 40, 9 * MIB)]).toEqual([8 * MIB, 9 * MIB])
    expect([await reserved(64 * 5_000, 1), await reserved(64 * 5_000, 6_000)]).toEqual([5_000, 6_000])
    expect(await reserved(64 * 1_000, 1)).toBe(4_096)
  })

  it('are asked for no more in an hour that has too few left for less than a 16th of it', async () => {
    const hour = 16 * 20_000
    const asksAgain = async (bytes: number) => {
      clearMemories()
      await env.DB.prepare('DELETE FROM cache_admissions').run()
      await insertAdmission(env.DB, 'chain', hour, hour, now)
      const { env: counting, calls } = faultyEnv(undefined)
      const limited = { ...counting, CACHE_BYTES_PER_HOUR: String(hour) }
      expect(await admitToCache(limited, 'chain', bytes, now)).toBe(false)
      expect(await admitToCache(limited, 'chain', bytes, now)).toBe(false)
      return calls()
    }
    expect([await asksAgain(19_999), await asksAgain(20_000)]).toEqual([1, 2])
  })

  it('are none while D1 cannot be asked: what is served is not kept', async () => {
    const down = new Proxy(env.DB, {
      get: () => () => {
        throw new Error('D1 is overloaded')
      },
    })
    expect(await admitToCache({ ...env, DB: down }, 'chain', 1, now)).toBe(false)
  })

  it('are told to the operator for a week', async () => {
    await admitToCache(env, 'chain', 1, now)
    await deleteOldAdmissions(env.DB, now + 168 * HOUR)
    expect((await selectAdmissions(env.DB, now)).chain).toBeGreaterThan(0)
    await deleteOldAdmissions(env.DB, now + 169 * HOUR)
    expect((await selectAdmissions(env.DB, now)).chain).toBe(0)
  })
})

describe('a sweep of a prefix', () => {
  const prefix = `sweep-${crypto.randomUUID()}/`
  const keys = async () => (await env.BUCKET.list({ prefix })).objects.map(({ key }) => key.slice(prefix.length))
  beforeEach(async () => {
    await env.DB.prepare('DELETE FROM sweep_positions').run()
    for (let index = 0; index < 5; index++) await env.BUCKET.put(`${prefix}${index}`, 'x')
    await env.BUCKET.put(`other-${prefix}`, 'x')
  })

  it('deletes what is older, and nothing that is not, nor of another prefix', async () => {
    await sweepCache(env, prefix, Date.now() - 60_000)
    expect(await keys()).toHaveLength(5)
    await sweepCache(env, prefix, Date.now() + 60_000)
    expect([await keys(), await env.BUCKET.head(`other-${prefix}`)]).toEqual([[], expect.anything()])
  })

  /** The bucket, which lists `limit` objects at a time, and behind which it was asked to. */
  const pagesOf = (limit: number) => {
    const asked: (string | undefined)[] = []
    const BUCKET = new Proxy(env.BUCKET, {
      get(target, name) {
        if (name !== 'list') return Reflect.get(target, name).bind(target)
        return (options: R2ListOptions) => {
          asked.push(options.startAfter?.slice(prefix.length))
          return target.list({ ...options, limit })
        }
      },
    })
    return { asked, paged: { ...env, BUCKET } }
  }

  it('goes on where the last run ended, and begins anew behind the end', async () => {
    const { asked, paged } = pagesOf(2)
    for (let run = 0; run < 4; run++) await sweepCache(paged, prefix, 0, 1)
    expect(asked).toEqual([undefined, '1', '3', undefined])
  })

  it('looks at four pages a run', async () => {
    const { asked, paged } = pagesOf(1)
    await sweepCache(paged, prefix, Date.now() + 60_000)
    expect([await keys(), asked]).toEqual([['4'], [undefined, '0', '1', '2']])
  })
})
