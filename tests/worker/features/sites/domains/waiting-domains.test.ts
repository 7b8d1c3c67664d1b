import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runDomainJobs } from '../../../../../worker/features/sites/domains/run-domain-jobs.ts'
import { apiApp } from '../../../../../worker/hosts/api-app.ts'
import { readConfig } from '../../../../../worker/platform/config/read-config.ts'
import { storeItem } from '../../../../kit/store-item.ts'
import { add, firstRow, runSql } from '../../../rows.ts'
import { DOH_URL, type ScriptedResolver, scriptedResolver } from '../../../scripted-resolver.ts'
import { accessTokenOf, signIn } from '../../../sign-in.ts'
import { CF_SETTINGS, type ScriptedZone, scriptedZone } from '../scripted-zone.ts'

const START = 1_800_000_000_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const HOST = 'www.shop.example'
const plain = { ...env, DOH_URL }
const cloudflare = { ...plain, ...CF_SETTINGS }
type Bindings = typeof plain | typeof cloudflare

let user: Awaited<ReturnType<typeof signIn>>
let item: string
let resolver: ScriptedResolver
let zone: ScriptedZone
/** Hosts that were asked for their answer, and what they said. */
let answers: Map<string, Response>

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
  const tables = ['attempts', 'domains', 'waiting_domains', 'domain_answers', 'sweep_positions']
  await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
  user = await signIn()
  item = await stored(user.userId)
  resolver = scriptedResolver({})
  zone = scriptedZone()
  answers = new Map()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    const { origin, host } = new URL(request.url)
    if (request.url.startsWith(DOH_URL)) return resolver.fetch(request.url)
    if (origin === 'https://api.cloudflare.com') return zone.answer(request)
    const answer = answers.get(host)
    if (!answer) throw new TypeError(`no host ${host}`)
    return answer.clone()
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const stored = (owner: string) => storeItem(env.DB, { blockchain: 'IPFS', cid: 'bafkqaaa', owner })

async function call(
  method: string,
  path: string,
  body?: unknown,
  { who = user, on = plain }: { who?: typeof user; on?: Bindings } = {},
) {
  // Some of these tests last for weeks: longer than a token does.
  const token = await accessTokenOf(who.userId)
  const init = { method, headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' } }
  const ctx = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }
  const response = await apiApp.request(
    `/v0/domain${path}`,
    body === undefined ? init : { ...init, body: JSON.stringify(body) },
    on,
    ctx,
  )
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
const wait = (host = HOST, id = item, options: { who?: typeof user; on?: Bindings } = {}) =>
  call('POST', '', { host, item: id, wait: true }, options)
const point = (host: string, id: string) => {
  resolver.zone = { ...resolver.zone, [host]: [['CNAME', `${id}.storage.example`]] }
}
const jobs = async (on: Bindings = plain, now = Date.now()) => {
  vi.setSystemTime(now)
  await runDomainJobs({ env, config: readConfig(on) }, now)
}
const stepsOf = (body: { steps: { step: string; state: string; found: string | null }[] }) =>
  Object.fromEntries(body.steps.map(({ step, state, found }) => [step, found === null ? state : [state, found]]))

describe('claims and checks of an account', () => {
  it('D21: are counted, since Cloudflare counts what it is asked: past sixty in a quarter of an hour 429', async () => {
    const row = env.DB.prepare("INSERT INTO attempts (id, kind, address, client, at) VALUES (?, 'domain', ?, '', ?)")
    const at = Date.now()
    await env.DB.batch(Array.from({ length: 58 }, () => row.bind(crypto.randomUUID(), user.userId, at)))
    expect((await wait()).status).toBe(202)
    expect((await call('POST', `/${HOST}/check`)).status).toBe(200)
    const before = zone.asked.length
    expect(await wait(HOST, item, { on: cloudflare })).toMatchObject({
      status: 429,
      body: { code: 'too_many_requests' },
    })
    expect((await call('POST', `/${HOST}/check`, undefined, { on: cloudflare })).status).toBe(429)
    expect(zone.asked.length).toBe(before)
    const other = await signIn()
    expect((await wait(HOST, await stored(other.userId), { who: other })).status).toBe(202)
    vi.setSystemTime(at + 15 * MINUTE)
    expect((await call('POST', `/${HOST}/check`)).status).toBe(200)
  })
})

describe('calls of the API of Cloudflare', () => {
  const spend = async (calls: number) => {
    const row = env.DB.prepare(
      "INSERT INTO attempts (id, kind, address, client, at) VALUES (?, 'hostname', 'account', 'cloudflare', ?)",
    )
    await env.DB.batch(Array.from({ length: calls }, () => row.bind(crypto.randomUUID(), Date.now())))
  }
  const on = { on: cloudflare }

  it('D22: are so many a minute of all accounts: a claim past that stands, and is registered in its turn', async () => {
    await spend(120)
    point(HOST, item)
    expect(await call('POST', '', { host: HOST, item }, on)).toMatchObject({ status: 201, body: { status: 'pending' } })
    const { body } = await call('POST', `/${HOST}/check`, undefined, on)
    expect(stepsOf(body)).toMatchObject({ certificate: 'unknown' })
    expect(zone.asked).toEqual([])
    await jobs(cloudflare)
    expect([...zone.hostnames.keys()]).toEqual([HOST])
  })

  it('D22: are so many a minute of jobs too, which go on in the next', async () => {
    point(HOST, item)
    await call('POST', '', { host: HOST, item }, { on: plain })
    await runSql("UPDATE domains SET status = 'pending' WHERE host = ?", HOST)
    await spend(180)
    await jobs(cloudflare)
    expect(zone.asked).toEqual([])
    await jobs(cloudflare, START + MINUTE)
    expect([...zone.hostnames.keys()]).toEqual([HOST])
  })

  it('D22: refuse to give a host up past that, and it is given up a minute later', async () => {
    point(HOST, item)
    await call('POST', '', { host: HOST, item }, on)
    await spend(120)
    expect(await call('DELETE', `/${HOST}`, undefined, on)).toMatchObject({
      status: 503,
      body: { code: 'hostnames_unavailable' },
    })
    expect((await call('GET', `/${HOST}`, undefined, on)).status).toBe(200)
    vi.setSystemTime(START + MINUTE)
    expect((await call('DELETE', `/${HOST}`, undefined, on)).status).toBe(204)
    expect([...zone.hostnames.keys()]).toEqual([])
  })
})

describe('a domain that waits', () => {
  it('is 202 and kept, with the records to make and until when DNS is asked', async () => {
    const { status, body } = await wait()
    expect(status).toBe(202)
    expect(body).toMatchObject({
      host: HOST,
      item,
      site: null,
      status: 'waiting',
      waitsUntil: (START + DAY) / 1000,
      record: `${HOST} CNAME ${item}.storage.example`,
      records: [{ type: 'CNAME' }, { type: 'TXT', name: `_hookline.${HOST}`, content: `item=${item}` }],
    })
    expect(stepsOf(body)).toMatchObject({
      record: 'waiting',
      target: 'waiting',
      conflict: 'unknown',
      answer: 'unknown',
    })
    expect((await call('GET', `/${HOST}`)).body).toEqual(body)
    expect((await call('GET', '')).body.domains).toEqual([body])
  })

  it('is claimed at once where its record is there: 201', async () => {
    point(HOST, item)
    expect(await wait()).toMatchObject({ status: 201, body: { status: 'active', waitsUntil: null } })
  })

  it('waits too while DNS cannot be asked: that is no failure', async () => {
    resolver.silent = true
    const { status, body } = await wait()
    expect([status, stepsOf(body).record]).toEqual([202, 'unknown'])
  })

  it('is looked at each minute, and claimed within one of its record', async () => {
    await wait()
    for (let minute = 1; minute <= 3; minute++) {
      const { length } = resolver.asked
      await jobs(plain, START + minute * MINUTE)
      expect(resolver.asked.length).toBeGreaterThan(length)
    }
    expect((await call('GET', `/${HOST}`)).body.status).toBe('waiting')
    point(HOST, item)
    await jobs(plain, START + 4 * MINUTE)
    expect((await call('GET', `/${HOST}`)).body).toMatchObject({ status: 'active', waitsUntil: null })
    expect((await call('GET', '')).body.domains).toHaveLength(1)
  })

  it('is no longer looked at after 24 hours, stands as stopped, and is forgotten a week later', async () => {
    await wait()
    await jobs(plain, START + DAY - MINUTE)
    const { length } = resolver.asked
    await jobs(plain, START + DAY)
    expect(resolver.asked).toHaveLength(length)
    expect((await call('GET', `/${HOST}`)).body.status).toBe('stopped')
    // Asked for again, it waits another day.
    expect((await wait()).body).toMatchObject({ status: 'waiting', waitsUntil: (START + 2 * DAY) / 1000 })
    await jobs(plain, START + 10 * DAY)
    expect((await call('GET', `/${HOST}`)).status).toBe(404)
  })

  it('keeps nobody else from the host: who has the record first has it', async () => {
    await wait()
    const other = await signIn()
    const theirs = await stored(other.userId)
    expect((await wait(HOST, theirs, { who: other })).status).toBe(202)
    point(HOST, theirs)
    await jobs(plain, START + MINUTE)
    expect((await call('GET', `/${HOST}`, undefined, { who: other })).body.status).toBe('active')
    expect((await call('GET', `/${HOST}`)).body.status).toBe('waiting')
    // The record moves to the first one, who cannot have the host while the other's was seen lately.
    point(HOST, item)
    await jobs(plain, START + 2 * MINUTE)
    const { body } = await call('GET', `/${HOST}`)
    expect([body.status, stepsOf(body).conflict]).toEqual([
      'waiting',
      ['failed', expect.stringContaining('Another account')],
    ])
  })

  it('D15: counts as a domain of the account, once, claimed or not', async () => {
    const on = { ...plain, QUOTA_DOMAINS: '2' }
    point(HOST, item)
    expect((await wait(HOST, item, { on })).status).toBe(201)
    expect((await wait('a.example.org', item, { on })).status).toBe(202)
    expect(await wait('b.example.org', item, { on })).toMatchObject({
      status: 409,
      body: { code: 'quota_exceeded', quota: 'domains', limit: 2, used: 2 },
    })
    // What counts already becomes a claim.
    point('a.example.org', item)
    expect((await call('POST', '', { host: 'a.example.org', item }, { on })).status).toBe(201)
    expect((await call('DELETE', '/a.example.org', undefined, { on })).status).toBe(204)
    expect((await wait('b.example.org', item, { on })).status).toBe(202)
    expect((await call('DELETE', '/b.example.org', undefined, { on })).status).toBe(204)
    expect((await call('DELETE', '/b.example.org', undefined, { on })).status).toBe(404)
  })

  it('is never above the quota, however many are asked for at once', async () => {
    const on = { ...plain, QUOTA_DOMAINS: '3' }
    const hosts = Array.from({ length: 10 }, (_, index) => `h${index}.example.org`)
    const made = await Promise.all(hosts.map((host) => wait(host, item, { on })))
    expect(made.filter(({ status }) => status === 202)).toHaveLength(3)
  })

  it('is only for what is stored', async () => {
    const unpaid = await storeItem(env.DB, { blockchain: 'IPFS', status: 402, owner: user.userId })
    for (const body of [{ item: unpaid }, { item: unpaid, wait: true }]) {
      expect(await call('POST', '', { host: HOST, ...body })).toMatchObject({
        status: 409,
        body: { code: 'item_not_stored' },
      })
    }
  })

  it.each([
    [{ item: 'x' }, 'item'],
    [{ site: 'x' }, 'site'],
    [{ site: 'ab'.repeat(12), item: 'ab'.repeat(12) }, 'item'],
    [{ item: 'ab'.repeat(12), wait: 'yes' }, 'wait'],
  ])('is refused for %j with a sentence about %s', async (body, field) => {
    const { status, body: answer } = await call('POST', '', { host: HOST, ...body })
    expect([status, answer.message]).toEqual([400, expect.stringMatching(new RegExp(`^${field} `))])
  })
})

describe('the queues', () => {
  const waiting = (host: string, user_id: string) => ({ host, user_id, item_id: item, wait_until: START + DAY })

  it('D16: give each account its turn: one with many hosts keeps no other waiting', async () => {
    const crowd = Array.from({ length: 500 }, (_, n) => waiting(`h${n}.crowd.example`, 'a-crowd'))
    await add('waiting_domains', ...crowd, waiting('one.example.org', 'z-honest'))
    await jobs(plain, START + MINUTE)
    expect(resolver.asked).toContain('CNAME one.example.org')
    expect(resolver.asked.filter((asked) => asked.startsWith('CNAME')).length).toBeLessThanOrEqual(100)
  })

  it('give every account its turn in the end, when there are more than a run takes', async () => {
    const hosts = Array.from({ length: 250 }, (_, n) => `h${n}.example.org`)
    await add('waiting_domains', ...hosts.map((host, n) => waiting(host, `user-${n}`)))
    for (let minute = 1; minute <= 3; minute++) await jobs(plain, START + minute * MINUTE)
    for (const host of hosts) expect(resolver.asked).toContain(`CNAME ${host}`)
  })

  it('of Cloudflare are as fair', async () => {
    const pending = { item_id: item, status: 'pending', claimed_at: START, seen_at: START, looked_at: START }
    const crowd = Array.from({ length: 60 }, (_, n) => ({
      ...pending,
      host: `h${n}.crowd.example`,
      user_id: 'a-crowd',
    }))
    await add('domains', ...crowd, { ...pending, host: 'one.example.org', user_id: 'z-honest' })
    await jobs(cloudflare, START + MINUTE)
    expect(zone.hostnames.has('one.example.org')).toBe(true)
    expect(zone.hostnames.size).toBeLessThanOrEqual(10)
  })

  it('go on past a host that fails', async () => {
    await wait('bad.example.org')
    await wait()
    resolver.zone = { 'bad.example.org': 'SERVFAIL' }
    point(HOST, item)
    await jobs(plain, START + MINUTE)
    expect((await call('GET', `/${HOST}`)).body.status).toBe('active')
    expect(stepsOf((await call('GET', '/bad.example.org')).body).record).toBe('unknown')
  })
})

describe('a domain whose record is gone', () => {
  const claimed = async () => {
    point(HOST, item)
    expect((await wait(HOST, item, { on: cloudflare })).status).toBe(201)
    resolver.zone = {}
  }

  it('D15: is given up after a week, and removed at Cloudflare too', async () => {
    await claimed()
    expect(zone.hostnames.has(HOST)).toBe(true)
    for (let day = 1; day <= 7; day++) await jobs(cloudflare, START + day * DAY)
    expect((await call('GET', `/${HOST}`)).status).toBe(200)
    await jobs(cloudflare, START + 8 * DAY + MINUTE)
    expect((await call('GET', `/${HOST}`)).status).toBe(404)
    await jobs(cloudflare, START + 8 * DAY + 2 * MINUTE)
    expect(zone.hostnames.size).toBe(0)
    expect(await firstRow('SELECT host FROM domains')).toBeNull()
  })

  it('stays while DNS cannot be asked, or names it again', async () => {
    await claimed()
    resolver.silent = true
    for (let day = 1; day <= 20; day++) await jobs(cloudflare, START + day * DAY)
    expect((await call('GET', `/${HOST}`)).status).toBe(200)
    resolver.silent = false
    point(HOST, item)
    await jobs(cloudflare, START + 21 * DAY + MINUTE)
    resolver.zone = {}
    await jobs(cloudflare, START + 23 * DAY)
    expect((await call('GET', `/${HOST}`)).status).toBe(200)
  })

  it('is removed later where Cloudflare is down, and registered anew for who claims it meanwhile', async () => {
    await claimed()
    zone.down = true
    await jobs(cloudflare, START + 9 * DAY)
    await jobs(cloudflare, START + 9 * DAY + MINUTE)
    const other = await signIn()
    const theirs = await stored(other.userId)
    point(HOST, theirs)
    zone.down = false
    expect((await wait(HOST, theirs, { who: other, on: cloudflare })).status).toBe(201)
    await jobs(cloudflare, START + 9 * DAY + 2 * MINUTE)
    await jobs(cloudflare, START + 9 * DAY + 3 * MINUTE)
    expect(zone.hostnames.has(HOST)).toBe(true)
    expect((await call('GET', `/${HOST}`, undefined, { who: other })).body.status).toBe('pending')
  })
})

describe('the domains of a site', () => {
  const makeSite = async () => {
    const init = { method: 'POST', headers: { ...user.headers, 'Content-Type': 'application/json' } }
    const ctx = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }
    const made = await apiApp.request('/v0/site', { ...init, body: JSON.stringify({ name: 'x', item }) }, plain, ctx)
    return (await made.json<{ id: string }>()).id
  }

  it('are proven by its id, listed by it, and given up with it', async () => {
    const site = await makeSite()
    point(HOST, site)
    expect(await call('POST', '', { host: HOST, site }, { on: cloudflare })).toMatchObject({
      status: 201,
      body: { site, item: null },
    })
    await call('POST', '', { host: 'later.example.org', site, wait: true }, { on: cloudflare })
    await wait('other.example.org')
    const hosts = async (query: string) =>
      (await call('GET', query)).body.domains.map(({ host }: { host: string }) => host)
    expect(await hosts(`?site=${site}`)).toEqual(['later.example.org', HOST])
    expect(await hosts('')).toEqual(['later.example.org', 'other.example.org', HOST])
    const ctx = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }
    await apiApp.request(`/v0/site/${site}`, { method: 'DELETE', headers: user.headers }, cloudflare, ctx)
    expect(await hosts('')).toEqual(['other.example.org'])
    await jobs(cloudflare, START + MINUTE)
    expect(zone.hostnames.size).toBe(0)
  })

  it('may be proven by a TXT record that says site=', async () => {
    const site = await makeSite()
    resolver.zone = { '_hookline.shop.example': [['TXT', `"site=${site}"`]] }
    expect((await call('POST', '', { host: 'shop.example', site })).body.record).toBe(
      `_hookline.shop.example TXT "site=${site}"`,
    )
  })
})

describe('the check of a domain (console 35)', () => {
  const check = async (on: Bindings = plain) => (await call('POST', `/${HOST}/check`, undefined, { on })).body
  const target = () => `${item}.storage.example`
  /** The host, and our own, both at these addresses. */
  const addressed = (own: string[], ours = ['192.0.2.10', '2001:db8::10']) => {
    const records = (addresses: string[]) =>
      addresses.map((address): ['A' | 'AAAA', string] => [address.includes(':') ? 'AAAA' : 'A', address])
    resolver.zone = { [HOST]: [['CNAME', target()], ...records(own)], [target()]: records(ours) }
  }

  it('finds all right where all is right, step by step, each with its time', async () => {
    addressed(['192.0.2.10', '2001:db8::10'])
    answers.set(HOST, new Response(`${item}\n`))
    await wait(HOST, item, { on: cloudflare })
    zone.hostnames.set(HOST, { id: 'id-1', status: 'active', ssl: { status: 'active' } })
    vi.setSystemTime(START + MINUTE)
    const { steps } = await check(cloudflare)
    expect(
      steps.map(({ step, state, wanted, checkedAt }: Record<string, unknown>) => [step, state, wanted, checkedAt]),
    ).toEqual(
      ['record', 'target', 'conflict', 'caa', 'certificate', 'answer'].map((step) => [
        step,
        'ok',
        null,
        (START + MINUTE) / 1000,
      ]),
    )
    expect((await call('GET', `/${HOST}`)).body.steps).toEqual(steps)
  })

  it('claims a host that waits for its record and has it', async () => {
    await wait()
    addressed(['192.0.2.10', '2001:db8::10'])
    answers.set(HOST, new Response(item))
    expect(await check()).toMatchObject({ status: 'active', waitsUntil: null })
  })

  it('says where the record leads, and where it should', async () => {
    await wait()
    resolver.zone = { [HOST]: [['CNAME', 'shop.elsewhere.example']] }
    const { steps } = await check()
    expect(steps[0]).toMatchObject({ step: 'record', state: 'ok', found: `${HOST} CNAME shop.elsewhere.example` })
    expect(steps[1]).toMatchObject({
      step: 'target',
      state: 'failed',
      found: 'shop.elsewhere.example',
      wanted: target(),
    })
  })

  it('D18: says which address is in the way, and asks no host that is not ours', async () => {
    await wait()
    addressed(['192.0.2.10', '198.51.100.7'])
    answers.set(HOST, new Response(item))
    const { steps } = await check()
    expect(steps[2]).toMatchObject({ state: 'failed', found: '198.51.100.7', wanted: '192.0.2.10, 2001:db8::10' })
    expect(steps[5]).toMatchObject({ step: 'answer', state: 'unknown', checkedAt: null })
    expect(
      vi
        .mocked(globalThis.fetch)
        .mock.calls.some(([input]) => String(input).includes(HOST) && !String(input).startsWith(DOH_URL)),
    ).toBe(false)
  })

  it('says which CAA record keeps the certificate from being made, be it of a domain above', async () => {
    await wait(HOST, item, { on: cloudflare })
    resolver.zone = {
      'shop.example': [
        ['CAA', '0 issue "ca.elsewhere.example"'],
        ['CAA', '0 iodef "mailto:a@b.example"'],
      ],
    }
    const { steps } = await check(cloudflare)
    expect(steps[3]).toMatchObject({
      state: 'failed',
      found: expect.stringContaining('ca.elsewhere.example'),
      wanted: expect.stringContaining('letsencrypt.org'),
    })
    vi.setSystemTime(START + MINUTE)
    // As a resolver that does not know the type writes it.
    const bytes = Buffer.from(`\u0000\u0005issuepki.goog; cansignhttpexchanges=yes`, 'latin1').toString('hex')
    resolver.zone = { 'shop.example': [['CAA', `\\# ${bytes.length / 2} ${bytes}`]] }
    expect((await check(cloudflare)).steps[3]).toMatchObject({ state: 'ok', wanted: null })
  })

  it('says what became of the certificate', async () => {
    point(HOST, item)
    await wait(HOST, item, { on: cloudflare })
    const entry = zone.hostnames.get(HOST)
    if (!entry) throw new Error('nothing was registered')
    for (const [status, state] of [
      ['pending_validation', 'waiting'],
      ['validation_timed_out', 'failed'],
      ['active', 'ok'],
    ] as const) {
      vi.setSystemTime(Date.now() + MINUTE)
      entry.ssl.status = status
      expect((await check(cloudflare)).steps[4]).toMatchObject({ state, found: status })
    }
  })

  it('says who answers in our place', async () => {
    addressed(['192.0.2.10'])
    answers.set(HOST, new Response('<title>Parked</title>', { status: 503 }))
    await wait()
    expect((await check()).steps[5]).toMatchObject({ state: 'failed', found: 'status 503', wanted: item })
    vi.setSystemTime(START + MINUTE)
    answers.set(HOST, new Response('x'.repeat(100_000)))
    expect((await check()).steps[5]).toMatchObject({ state: 'unknown' })
  })

  it('F25: calls nothing failed that could not be asked', async () => {
    await wait(HOST, item, { on: cloudflare })
    resolver.silent = true
    zone.down = true
    const { steps } = await check(cloudflare)
    expect(steps.map(({ state }: { state: string }) => state)).toEqual(Array(6).fill('unknown'))
  })

  it('asks nobody again within 5 s', async () => {
    await wait()
    vi.setSystemTime(START + MINUTE)
    const first = await check()
    const { length } = resolver.asked
    vi.setSystemTime(START + MINUTE + 4_000)
    expect(await check()).toEqual(first)
    expect(resolver.asked).toHaveLength(length)
  })

  it('is nobody else’s: 404', async () => {
    await wait()
    const other = await signIn()
    for (const [method, path] of [
      ['GET', `/${HOST}`],
      ['POST', `/${HOST}/check`],
      ['DELETE', `/${HOST}`],
    ] as const) {
      expect((await call(method, path, undefined, { who: other })).status).toBe(404)
    }
  })
})
