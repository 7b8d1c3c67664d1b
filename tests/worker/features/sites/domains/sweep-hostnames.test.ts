import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runDomainJobs } from '../../../../../worker/features/sites/domains/run-domain-jobs.ts'
import { apiApp } from '../../../../../worker/hosts/api-app.ts'
import { readConfig } from '../../../../../worker/platform/config/read-config.ts'
import { storeItem } from '../../../../kit/store-item.ts'
import { DOH_URL, type ScriptedResolver, scriptedResolver } from '../../../scripted-resolver.ts'
import { accessTokenOf, PASSWORD, signIn } from '../../../sign-in.ts'
import { CF_SETTINGS, type ScriptedZone, scriptedZone } from '../scripted-zone.ts'

const DAY = 86_400_000
/** Some night at four: long after what the bucket says of objects that are made in these tests. */
const NIGHT = Date.UTC(2030, 0, 1, 4)
const bindings = { ...env, DOH_URL, ...CF_SETTINGS }

let resolver: ScriptedResolver
let zone: ScriptedZone

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NIGHT })
  const tables = ['attempts', 'domains', 'waiting_domains', 'domain_answers', 'sweep_positions']
  await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
  for (const key of await marks()) await env.BUCKET.delete(`hostnames/${key}`)
  resolver = scriptedResolver({})
  zone = scriptedZone()
  vi.spyOn(console, 'info').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    return request.url.startsWith(DOH_URL) ? resolver.fetch(request.url) : zone.answer(request)
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const marks = async () =>
  (await env.BUCKET.list({ prefix: 'hostnames/' })).objects.map(({ key }) => key.slice('hostnames/'.length))

async function call(userId: string, method: string, path: string, body?: unknown) {
  const headers = { Authorization: `Bearer ${await accessTokenOf(userId)}`, 'Content-Type': 'application/json' }
  const ctx = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  return await apiApp.request(path, init, bindings, ctx)
}

/** Domains of one account, claimed and registered. */
async function claim(...hosts: string[]): Promise<string> {
  const { userId } = await signIn()
  const item = await storeItem(env.DB, { blockchain: 'IPFS', cid: 'bafkqaaa', owner: userId })
  for (const host of hosts) {
    resolver.zone = { ...resolver.zone, [host]: [['CNAME', `${item}.storage.example`]] }
    expect((await call(userId, 'POST', '/v0/domain', { host, item })).status).toBe(201)
  }
  return userId
}

/** What the clock does in a minute. */
async function run(now: number) {
  vi.setSystemTime(now)
  await runDomainJobs({ env, config: readConfig(bindings) }, now)
}

const lose = (host: string) => env.DB.prepare('DELETE FROM domains WHERE host = ?').bind(host).run()
const hosts = (count: number) => Array.from({ length: count }, (_, n) => `shop-${n}.example`)

describe('custom hostnames that no claim accounts for', () => {
  it('D19: are removed at night, as after D1 was restored; what is claimed stays', async () => {
    await claim('kept.example', 'lost.example')
    expect(await marks()).toEqual(['kept.example', 'lost.example'])
    await lose('lost.example')
    await run(NIGHT - 60_000)
    expect([...zone.hostnames.keys()]).toEqual(['kept.example', 'lost.example'])
    await run(NIGHT)
    expect([...zone.hostnames.keys()]).toEqual(['kept.example'])
    expect(await marks()).toEqual(['kept.example'])
  })

  it('are removed too where the answer of Cloudflare never came', async () => {
    await claim('kept.example')
    const answer = zone.answer
    zone.answer = async (request) => {
      const made = await answer(request)
      return request.method === 'POST' ? Promise.reject(new TypeError('lost')) : made
    }
    await claim('cut.example')
    zone.answer = answer
    await lose('cut.example')
    await run(NIGHT)
    expect([...zone.hostnames.keys()]).toEqual(['kept.example'])
  })

  it('D19: are left alone where we did not make them, or somebody else has made them since', async () => {
    zone.hostnames.set('theirs.example', { id: 'theirs', status: 'active', ssl: { status: 'active' } })
    await claim('anew.example')
    await lose('anew.example')
    zone.hostnames.set('anew.example', { id: 'other', status: 'active', ssl: { status: 'active' } })
    await run(NIGHT)
    expect([...zone.hostnames.keys()]).toEqual(['theirs.example', 'anew.example'])
    expect(await marks()).toEqual([])
  })

  it('are left alone for a day', async () => {
    await claim('lost.example')
    await lose('lost.example')
    vi.useRealTimers()
    const today = Math.floor(Date.now() / DAY) * DAY + 4 * 3_600_000
    vi.useFakeTimers({ toFake: ['Date'] })
    await run(today)
    expect(zone.hostnames.size).toBe(1)
    await run(today + 3 * DAY)
    expect(zone.hostnames.size).toBe(0)
  })

  it('are removed five a minute; one that Cloudflare keeps stops none of the others', async () => {
    const all = hosts(7)
    await claim(...all)
    await env.DB.exec('DELETE FROM domains')
    const answer = zone.answer
    zone.answer = async (request) =>
      request.url.includes('shop-0.example') ? new Response('', { status: 500 }) : answer(request)
    await run(NIGHT)
    expect([...zone.hostnames.keys()]).toEqual(['shop-0.example', 'shop-5.example', 'shop-6.example'])
    await run(NIGHT + 60_000)
    expect([...zone.hostnames.keys()]).toEqual(['shop-0.example'])
    zone.answer = answer
    await run(NIGHT + 120_000)
    expect(zone.hostnames.size).toBe(1)
    await run(NIGHT + DAY)
    expect(zone.hostnames.size).toBe(0)
  })
})

describe('closing an account', () => {
  it('D20: gives up its domains, at Cloudflare too, and what it waits for; others may have them at once', async () => {
    const userId = await claim('mine.example')
    const other = await claim('theirs.example')
    const item = await storeItem(env.DB, { blockchain: 'IPFS', cid: 'bafkqaaa', owner: userId })
    expect((await call(userId, 'POST', '/v0/domain', { host: 'later.example', item, wait: true })).status).toBe(202)
    expect((await call(userId, 'DELETE', '/v0/user', { password: 'Wrong123' })).status).toBe(403)
    expect((await call(userId, 'GET', '/v0/domain/mine.example')).status).toBe(200)
    expect((await call(userId, 'DELETE', '/v0/user', { password: PASSWORD })).status).toBe(204)
    expect((await env.DB.prepare('SELECT * FROM waiting_domains').all()).results).toEqual([])
    await run(NIGHT - 3_600_000)
    expect([...zone.hostnames.keys()]).toEqual(['theirs.example'])
    expect(await marks()).toEqual(['theirs.example'])
    const { results } = await env.DB.prepare('SELECT host, user_id FROM domains').all()
    expect(results).toEqual([{ host: 'theirs.example', user_id: other }])
    expect(await claim('mine.example')).not.toBe(userId)
  })

  it('W2: ends its webhooks', async () => {
    const { userId } = await signIn()
    expect((await call(userId, 'POST', '/v0/webhook', { url: 'https://shop.example.com/' })).status).toBe(201)
    expect((await call(userId, 'DELETE', '/v0/user', { password: PASSWORD })).status).toBe(204)
    const left = env.DB.prepare('SELECT * FROM webhooks WHERE user_id = ?').bind(userId)
    expect((await left.all()).results).toEqual([])
  })
})
