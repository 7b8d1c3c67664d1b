import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  selectDomainAnswer,
  sweepDomainAnswers,
  upsertDomainAnswer,
} from '../../../../../worker/features/sites/sql/domains.ts'
import { add, addMany, count, list } from '../../../rows.ts'
import { DOH_URL, type ScriptedResolver, scriptedResolver, type Zone } from '../../../scripted-resolver.ts'

const ITEM = '65f0a1b2c3d4e5f601020304'
const OTHER = '65f0a1b2c3d4e5f601020305'
const HOST = 'www.shop.example'
const CONFIG = { dohUrl: DOH_URL, storageHost: 'storage.example' }
const START = 1_800_000_000_000

/** What a new isolate answers for HOST, seconds after START. */
async function freshIsolate(resolver: ScriptedResolver) {
  vi.resetModules()
  vi.spyOn(globalThis, 'fetch').mockImplementation(resolver.fetch)
  const { resolveDomain } = await import('../../../../../worker/features/sites/domains/resolve-domain.ts')
  return async (seconds: number) => {
    const waiting: Promise<unknown>[] = []
    const ctx = { waitUntil: (promise: Promise<unknown>) => void waiting.push(promise) }
    try {
      return await resolveDomain(env, CONFIG, ctx, HOST, START + seconds * 1000)
    } finally {
      await Promise.all(waiting)
    }
  }
}

const pointingAt = (item: string, ttl: number): Zone => ({ [HOST]: [['CNAME', `${item}.storage.example`, ttl]] })

beforeEach(async () => {
  await env.DB.exec('DELETE FROM domain_answers')
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('a host of somebody’s own', () => {
  it('is looked up again only when its record has run out', async () => {
    const resolver = scriptedResolver(pointingAt(ITEM, 120))
    const at = await freshIsolate(resolver)
    expect(await at(0)).toBe(ITEM)
    resolver.zone = pointingAt(OTHER, 120)
    expect(await at(119)).toBe(ITEM)
    expect(resolver.asked).toHaveLength(2)
    expect(await at(120)).toBe(OTHER)
  })

  it('is not known for 30 s when DNS names nothing', async () => {
    const resolver = scriptedResolver({})
    const at = await freshIsolate(resolver)
    expect(await at(0)).toBeUndefined()
    resolver.zone = pointingAt(ITEM, 60)
    expect(await at(29)).toBeUndefined()
    expect(await at(30)).toBe(ITEM)
  })

  it('F25: goes on showing its item while the resolver is silent, in this isolate and in a new one', async () => {
    const resolver = scriptedResolver(pointingAt(ITEM, 60))
    const at = await freshIsolate(resolver)
    await at(0)
    resolver.silent = true
    expect(await at(3600)).toBe(ITEM)
    expect(await (await freshIsolate(resolver))(7200)).toBe(ITEM)
  })

  it('asks a silent resolver at most every 30 s', async () => {
    const resolver = scriptedResolver(pointingAt(ITEM, 60))
    const at = await freshIsolate(resolver)
    await at(0)
    resolver.silent = true
    await at(60)
    const { length } = resolver.asked
    await at(89)
    expect(resolver.asked).toHaveLength(length)
    await at(90)
    expect(resolver.asked.length).toBeGreaterThan(length)
  })

  it('is a 504, and no 404, while the resolver is silent and nothing is known', async () => {
    const resolver = scriptedResolver({})
    resolver.silent = true
    const at = await freshIsolate(resolver)
    await expect(at(0)).rejects.toMatchObject({ status: 504, code: 'resolver_unavailable' })
  })

  it('D4: is no longer shown once its CNAME is gone, and not remembered by a new isolate either', async () => {
    const resolver = scriptedResolver(pointingAt(ITEM, 60))
    const at = await freshIsolate(resolver)
    expect(await at(0)).toBe(ITEM)
    resolver.zone = {}
    expect(await at(60)).toBeUndefined()
    resolver.silent = true
    await expect((await freshIsolate(resolver))(120)).rejects.toMatchObject({ status: 504 })
  })

  it('D4: is looked up 300 times a minute where nobody has claimed it; what is known, and claimed hosts, go on', async () => {
    const resolver = scriptedResolver({ 'claimed.example': [['CNAME', `${OTHER}.storage.example`, 30]] })
    vi.resetModules()
    vi.spyOn(globalThis, 'fetch').mockImplementation(resolver.fetch)
    const { resolveDomain } = await import('../../../../../worker/features/sites/domains/resolve-domain.ts')
    const ctx = { waitUntil: () => {} }
    const look = (host: string, seconds = 0) => resolveDomain(env, CONFIG, ctx, host, START + seconds * 1000)
    await add('users', { id: 'owner' })
    await add('domains', { host: 'claimed.example', user_id: 'owner' })
    await add('domain_answers', { host: 'known.example', item_id: ITEM, seen_at: 0 })
    for (let n = 0; n < 300; n++) expect(await look(`h${n}.example`)).toBeUndefined()
    await expect(look('one-more.example')).rejects.toMatchObject({ status: 503, code: 'busy' })
    expect(await look('known.example')).toBe(ITEM)
    expect(await look('claimed.example')).toBe(OTHER)
    expect(await look('h7.example')).toBeUndefined()
    expect(await look('one-more.example', 60)).toBeUndefined()
  })

  it('D4: is remembered of 10,000 hosts a day that nobody has claimed, and for 30 days without a visit', async () => {
    await addMany('domain_answers', 10_000, { host: "n || '.example'", item_id: `'${ITEM}'`, seen_at: '1000' })
    const remember = (host: string, now: number) => upsertDomainAnswer(env.DB, host, ITEM, now, 500)
    await remember('new.example', 2000)
    expect(await selectDomainAnswer(env.DB, 'new.example')).toBeUndefined()
    await env.DB.exec("UPDATE domain_answers SET seen_at = 10 WHERE host = '1.example'")
    await remember('1.example', 2000)
    await add('users', { id: 'other-owner' })
    await add('domains', { host: 'of-somebody.example', user_id: 'other-owner' })
    await remember('of-somebody.example', 2000)
    expect(await selectDomainAnswer(env.DB, 'of-somebody.example')).toBe(ITEM)
    await sweepDomainAnswers(env.DB, 2000)
    expect(await count('domain_answers')).toBe(9501)
    for (let runs = 0; runs < 20; runs++) await sweepDomainAnswers(env.DB, 2000)
    expect(await list('domain_answers', 'host')).toEqual(['1.example', 'of-somebody.example'])
  })

  it('is not an address or a single label: those are never looked up', async () => {
    const resolver = scriptedResolver({})
    vi.spyOn(globalThis, 'fetch').mockImplementation(resolver.fetch)
    const { resolveDomain } = await import('../../../../../worker/features/sites/domains/resolve-domain.ts')
    const ctx = { waitUntil: () => {} }
    for (const host of ['192.0.2.1', '[::1]', 'intranet', '_dmarc.shop.example']) {
      expect(await resolveDomain(env, CONFIG, ctx, host)).toBeUndefined()
    }
    expect(resolver.asked).toEqual([])
  })
})
