import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { followPendingDomains } from '../../../../../worker/features/sites/domains/follow-hostnames.ts'
import { claimDomain, selectDomain } from '../../../../../worker/features/sites/sql/domains.ts'
import { apiApp } from '../../../../../worker/hosts/api-app.ts'
import { readConfig } from '../../../../../worker/platform/config/read-config.ts'
import { add } from '../../../rows.ts'
import { DOH_URL, type ScriptedResolver, scriptedResolver, type Zone } from '../../../scripted-resolver.ts'
import { signIn } from '../../../sign-in.ts'
import { CF_SETTINGS, type ScriptedZone, scriptedZone } from '../scripted-zone.ts'

const HOST = 'www.shop.example'
const plain = { ...env, DOH_URL }
const cloudflare = { ...plain, ...CF_SETTINGS }

let user: Awaited<ReturnType<typeof signIn>>
let item: string
let resolver: ScriptedResolver
let zone: ScriptedZone

async function addItem(userId: string): Promise<string> {
  const id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
  await add('items', { id, user_id: userId, name: 'site', mimetype: 'text/html', status: 200 })
  return id
}

const pointing = (host: string, id: string): Zone => ({ [host]: [['CNAME', `${id}.storage.example`]] })

function send(
  method: string,
  path: string,
  options: { body?: unknown; who?: typeof user; on?: typeof cloudflare | typeof plain },
) {
  const { body, who = user, on = plain } = options
  const init = { method, headers: { ...who.headers, 'Content-Type': 'application/json' } }
  const ctx = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }
  return apiApp.request(
    `/v0/domain${path}`,
    body === undefined ? init : { ...init, body: JSON.stringify(body) },
    on,
    ctx,
  )
}
const claim = (
  options: { host?: string; id?: string; who?: typeof user; on?: typeof cloudflare | typeof plain } = {},
) => send('POST', '', { ...options, body: { host: options.host ?? HOST, item: options.id ?? item } })
const claims = async (who = user): Promise<unknown[]> => {
  const { domains } = await (await send('GET', '', { who })).json<{ domains: unknown[] }>()
  return domains
}

beforeEach(async () => {
  await env.DB.batch(
    ['domains', 'waiting_domains', 'domain_answers'].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  )
  user = await signIn()
  item = await addItem(user.userId)
  resolver = scriptedResolver(pointing(HOST, item))
  zone = scriptedZone()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    return request.url.startsWith(DOH_URL) ? resolver.fetch(request.url) : zone.answer(request)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('a domain', () => {
  it('is claimed for an item that its record names, whichever way it is written', async () => {
    const response = await claim({ host: 'WWW.Shop.Example.' })
    expect(response.status).toBe(201)
    const target = `${item}.storage.example`
    const domain = {
      host: HOST,
      item,
      site: null,
      status: 'active',
      record: `${HOST} CNAME ${target}`,
      waitsUntil: null,
      records: [
        { type: 'CNAME', name: HOST, content: target },
        { type: 'TXT', name: `_hookline.${HOST}`, content: `item=${item}` },
      ],
      steps: expect.arrayContaining([
        { step: 'target', state: 'ok', found: item, wanted: null, checkedAt: expect.any(Number) },
      ]),
    }
    expect(await response.json()).toEqual(domain)
    expect(await claims()).toEqual([domain])
  })

  it('is claimed for a site that a CNAME to its address names, one that it had before too, unless it was withdrawn', async () => {
    const made = { site: '65f0a1b2c3d4e5f601020304' }
    await env.DB.prepare('DELETE FROM site_addresses').run()
    await add('sites', { id: made.site, user_id: user.userId, versions: 1, current: 1 })
    await add('site_versions', { site_id: made.site, number: 1, item_id: item, created_at: 0 })
    const site_id = made.site
    await add('site_addresses', { label: 'almanac', site_id }, { label: 'calendar', site_id, until_at: 1 })
    await add('site_addresses', { label: 'bank-notes', site_id, until_at: 1, withdrawn_at: 1 })
    const statuses = []
    for (const label of ['almanac', 'calendar', 'bank-notes']) {
      resolver.zone = pointing(`${label}.shop.example`, label)
      const { status } = await send('POST', '', { body: { host: `${label}.shop.example`, ...made } })
      statuses.push([label, status])
    }
    expect(statuses).toEqual([
      ['almanac', 201],
      ['calendar', 201],
      ['bank-notes', 409],
    ])
  })

  it('is claimed at an apex by its TXT record', async () => {
    resolver.zone = { '_hookline.shop.example': [['TXT', `"item=${item}"`]] }
    const response = await claim({ host: 'shop.example' })
    expect(await response.json()).toMatchObject({ record: `_hookline.shop.example TXT "item=${item}"` })
  })

  it('D2: is refused with 409 while DNS does not point to the item, naming the record to make', async () => {
    for (const records of [{}, pointing(HOST, await addItem(user.userId))]) {
      resolver.zone = records
      const response = await claim()
      expect(response.status).toBe(409)
      const body = await response.json<{ message: string; code: string }>()
      expect(body.code).toBe('dns_not_pointing')
      expect(body.message).toContain(`${HOST} CNAME ${item}.storage.example`)
      expect(body.message).toContain(`_hookline.${HOST} TXT "item=${item}"`)
    }
    expect(await claims()).toEqual([])
  })

  it('is a 503 while DNS cannot be asked, and a 404 for an item of somebody else', async () => {
    const stranger = await signIn()
    expect((await claim({ who: stranger })).status).toBe(404)
    resolver.silent = true
    const response = await claim()
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).toBeTruthy()
    expect(await claims()).toEqual([])
  })

  it('D3: of one account is not taken over by another', async () => {
    await claim()
    const other = await signIn()
    const otherItem = await addItem(other.userId)
    expect((await claim({ who: other, id: otherItem })).status).toBe(409)
    resolver.zone = pointing(HOST, otherItem)
    const response = await claim({ who: other, id: otherItem })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ code: 'domain_taken' })
    expect((await send('DELETE', `/${HOST}`, { who: other })).status).toBe(404)
    expect(await claims()).toHaveLength(1)
    expect(await claims(other)).toEqual([])
  })

  it('D4: falls to whom DNS points at once the record of the first has not been seen for a week', async () => {
    await claim()
    const other = await signIn()
    const otherItem = await addItem(other.userId)
    resolver.zone = pointing(HOST, otherItem)
    const age = (days: number) => Date.now() - days * 86_400_000
    await env.DB.prepare('UPDATE domains SET claimed_at = ?1, seen_at = ?1').bind(age(30)).run()
    const answers = env.DB.prepare('INSERT OR REPLACE INTO domain_answers (host, item_id, seen_at) VALUES (?, ?, ?)')
    await answers.bind(HOST, item, age(6)).run()
    expect((await claim({ who: other, id: otherItem })).status).toBe(409)
    await answers.bind(HOST, item, age(8)).run()
    expect((await claim({ who: other, id: otherItem })).status).toBe(201)
    expect(await claims()).toEqual([])
    expect(await claims(other)).toHaveLength(1)
  })

  it('D12: is won by exactly one of many accounts that claim it at once', async () => {
    const rivals = Array.from({ length: 10 }, (_, n) => `user-${n}`)
    const now = Date.now()
    const won = await Promise.all(
      rivals.map((userId) =>
        claimDomain(
          env.DB,
          { host: HOST, kind: 'item', id: item, userId, status: 'active', record: '', steps: null },
          now,
          now - 1000,
          20,
        ),
      ),
    )
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(await selectDomain(env.DB, HOST)).toMatchObject({ userId: rivals[won.indexOf(true)] })
  })

  it('is given up by its owner, once', async () => {
    await claim()
    expect((await send('DELETE', `/${HOST.toUpperCase()}`, {})).status).toBe(204)
    expect((await send('DELETE', `/${HOST}`, {})).status).toBe(404)
    expect(await claims()).toEqual([])
  })

  it.each([
    'api.example',
    'www.api.example',
    'storage.example',
    'x.storage.example',
    '192.0.2.1',
    'localhost',
    'shop',
    'shop.local',
    'shop.internal',
    'shop.onion',
    'shop.svc',
    'shop.lan',
    'shop.corp',
    'a b.example',
    'shop.example/x',
    'u@shop.example',
    // Under these anybody may have a domain.
    'co.uk',
    'github.io',
    'example',
    // What a reader takes for a name of ours: by letters that look the same, in front of another domain, by hyphens.
    'api.exаmple',
    'storage.example.shop.example',
    'www.api-example.shop.example',
    'ѕtorage.example',
    '_dmarc.shop.example',
    '',
    7,
  ])('D17: cannot be %s: 400', async (host) => {
    const response = await send('POST', '', { body: { host, item } })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message: expect.stringMatching(/^host /) })
  })

  it('needs a token', async () => {
    expect((await send('GET', '', { who: { ...user, headers: { Authorization: '' } } })).status).toBe(401)
  })
})

describe('a domain on Cloudflare', () => {
  it('becomes a custom hostname, pending until its certificate is there', async () => {
    const response = await claim({ on: cloudflare })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ host: HOST, item, status: 'pending' })
    const deps = { env, config: readConfig(cloudflare) }
    const entry = zone.hostnames.get(HOST)
    if (!entry) throw new Error('nothing was registered')
    entry.status = 'active'
    await followPendingDomains(deps, Date.now())
    expect(await claims()).toMatchObject([{ status: 'pending' }])
    entry.ssl.status = 'active'
    await followPendingDomains(deps, Date.now())
    expect(await claims()).toMatchObject([{ status: 'active' }])
  })

  it('is registered once, however often it is claimed', async () => {
    await claim({ on: cloudflare })
    const another = await addItem(user.userId)
    resolver.zone = pointing(HOST, another)
    const response = await claim({ on: cloudflare, id: another })
    expect(await response.json()).toMatchObject({ item: another })
    expect([...zone.hostnames.keys()]).toEqual([HOST])
  })

  it('F25: stays pending while Cloudflare is down, and is registered later', async () => {
    zone.down = true
    const response = await claim({ on: cloudflare })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ status: 'pending' })
    zone.down = false
    await followPendingDomains({ env, config: readConfig(cloudflare) }, Date.now())
    expect(zone.hostnames.has(HOST)).toBe(true)
  })

  it('is not claimed when Cloudflare refuses the host', async () => {
    const host = 'www.blocked.example'
    resolver.zone = pointing(host, item)
    const response = await claim({ on: cloudflare, host })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ code: 'host_refused', message: expect.stringContaining('blocked') })
    expect(await claims()).toEqual([])
  })

  it('is removed there when it is given up, and kept while that cannot be done', async () => {
    await claim({ on: cloudflare })
    zone.down = true
    expect((await send('DELETE', `/${HOST}`, { on: cloudflare })).status).toBe(503)
    expect(await claims()).toHaveLength(1)
    zone.down = false
    expect((await send('DELETE', `/${HOST}`, { on: cloudflare })).status).toBe(204)
    expect(zone.hostnames.size).toBe(0)
  })

  it('is removed there though the answer to its registration was lost', async () => {
    await claim({ on: cloudflare })
    await env.DB.exec('UPDATE domains SET custom_hostname_id = NULL')
    expect((await send('DELETE', `/${HOST}`, { on: cloudflare })).status).toBe(204)
    expect(zone.hostnames.size).toBe(0)
  })

  it('is removed there when it is given up while it is being registered', async () => {
    const register = vi.mocked(globalThis.fetch).getMockImplementation() ?? fetch
    vi.mocked(globalThis.fetch).mockImplementation(async (input, init) => {
      if (init?.method === 'POST') await env.DB.exec('DELETE FROM domains')
      return register(input, init)
    })
    await claim({ on: cloudflare })
    expect(zone.hostnames.size).toBe(0)
  })
})

describe('GET /v0/domain/<host>/claim', () => {
  const asked = (host = HOST, options: { who?: typeof user; on?: typeof plain } = {}) =>
    send('GET', `/${host}/claim`, options)

  it('is 204 for a host that nobody has, or who asks has, and claims nothing', async () => {
    expect((await asked()).status).toBe(204)
    expect(resolver.asked).toEqual([])
    expect(await claims()).toEqual([])
    await claim()
    expect((await asked()).status).toBe(204)
  })

  it("is 409 while the host is another account's, until its record was not seen for seven days", async () => {
    await claim()
    const who = await signIn()
    const refused = await asked(HOST, { who })
    expect([refused.status, (await refused.json<{ code: string }>()).code]).toEqual([409, 'domain_taken'])
    await env.DB.exec('UPDATE domains SET claimed_at = 0, seen_at = 0')
    expect((await asked(HOST, { who })).status).toBe(204)
  })

  it('is 409 past the quota, 503 where domains are off, and 400 for what no claim can name', async () => {
    const on = { ...plain, QUOTA_DOMAINS: '0' }
    expect((await asked(HOST, { on })).status).toBe(409)
    const off: typeof plain = { ...plain, DOH_URL: '' }
    expect((await asked(HOST, { on: off })).status).toBe(503)
    expect((await asked('co.uk')).status).toBe(400)
  })
})
