import { describe, expect, it } from 'vitest'
import {
  createClient,
  type HooklineError,
  memoryStateStore,
  type PutOptions,
  type SiteProblems,
} from '../../client/index.ts'
import { FakeApi, targetsJson } from './fake-api.ts'

const clientOf = (api: FakeApi) =>
  createClient({ api: 'https://api.test', key: 'hk_test', fetch: api.fetch, state: memoryStateStore(), retries: 0 })

/** The requests that create, send or pay something. */
const made = (api: FakeApi) =>
  api.requests.filter(({ method, path }) => {
    return method !== 'GET' && !/^\/v0\/(estimate|item\/known|site\/problems)$/.test(path)
  })

const thrownBy = (run: Promise<unknown>) =>
  run.then(
    () => undefined,
    (error: HooklineError) => error,
  )

const FAILS = { file: '_redirects', line: 3, text: '/a', fault: 'This line is not a rule.', effect: 'fails' }
const IGNORED = { file: '_headers', line: 1, text: 'x', fault: 'This line sets Set-Cookie.', effect: 'ignored' }
const SITE = [
  { path: 'index.html', content: '<p>' },
  { path: '_redirects', content: '/a' },
  { path: '_headers', content: 'x' },
]
const TO: PutOptions = { to: 'IPFS', directory: 'site' }

describe('the _headers and _redirects of a directory', () => {
  it('are checked before anything is made, and end the order where a site of them would answer with an error', async () => {
    const api = new FakeApi()
    api.siteProblems = [IGNORED, FAILS, { ...FAILS, line: 9 }]
    for (const options of [TO, { ...TO, dryRun: true }]) {
      const error = await thrownBy(clientOf(api).put(SITE, options))
      expect(error).toMatchObject({ code: 'site_fails' })
      expect(error?.message).toBe('_redirects line 3: This line is not a rule. There are 1 more. Nothing was sent.')
    }
    expect(api.requests.find(({ path }) => path === '/v0/site/problems')?.body).toEqual({
      headers: 'x',
      redirects: '/a',
    })
    expect(made(api)).toEqual([])
  })

  it('are told to who asks, and stored all the same where the answer is yes', async () => {
    const api = new FakeApi()
    api.siteProblems = [IGNORED, FAILS]
    const told: SiteProblems[] = []
    const onSiteProblems = (found: SiteProblems) => told.push(found) > 0
    expect(await clientOf(api).put(SITE, { ...TO, onSiteProblems })).toMatchObject({ failed: [] })
    expect(told).toMatchObject([{ problems: [IGNORED, FAILS] }])
  })

  it.each([
    ['UTF-16 LE', Buffer.from('\ufeff/a /b\r\n', 'utf16le')],
    ['UTF-16 BE', Buffer.from('\ufeff/a /b\r\n', 'utf16le').swap16()],
    ['UTF-8 with a mark', Buffer.from('\ufeff/a /b\r\n')],
  ])('are checked as the text that they are in %s', async (_, content) => {
    const api = new FakeApi()
    await clientOf(api).put([...SITE.slice(0, 1), { path: '_redirects', content: new Uint8Array(content) }], TO)
    const asked = api.requests.find(({ path }) => path === '/v0/site/problems')
    expect(asked?.body).toEqual({ redirects: '/a /b\r\n' })
  })

  it('are checked as too large where they are, by their size', async () => {
    const api = new FakeApi()
    const large = new Uint8Array(64 * 1024 + 1).fill(0x20)
    await clientOf(api).put([...SITE.slice(0, 1), { path: '_redirects', content: large }], TO)
    const asked = api.requests.find(({ path }) => path === '/v0/site/problems')
    expect(String(asked?.body.redirects)).toHaveLength(64 * 1024 + 1)
  })

  it('end nothing where lines are only passed over, and are not asked about where there are none', async () => {
    const api = new FakeApi()
    api.siteProblems = [IGNORED]
    expect(await clientOf(api).put(SITE, TO)).toMatchObject({ failed: [] })
    const other = new FakeApi()
    await clientOf(other).put(SITE.slice(0, 1), TO)
    await clientOf(other).put(SITE, { to: 'Bitcoin' })
    expect(other.requests.filter(({ path }) => path === '/v0/site/problems')).toEqual([])
  })

  it('are not checked by a key that lacks the scope', async () => {
    const api = new FakeApi()
    api.before = ({ path }) => (path === '/v0/site/problems' ? Response.json({}, { status: 403 }) : undefined)
    expect(await clientOf(api).put(SITE, TO)).toMatchObject({ failed: [] })
  })
})

describe('the quotas of the account', () => {
  const FILES = [
    { path: 'below/a.txt', content: 'twelve bytes' },
    { path: 'b.txt', content: 'twelve bytes' },
  ]

  it.each([
    ['unpaidItems', 1, '1 items that are not paid for'],
    ['unpaidBytes', 23, '23 bytes in items that are not paid for'],
    ['folders', 0, '0 folders that no file is in'],
  ])('refuse an order that would pass %s, before anything is made', async (quota, limit, what) => {
    const api = new FakeApi()
    api.limits[quota] = limit
    const error = await thrownBy(clientOf(api).put(FILES, { to: 'Bitcoin' }))
    expect(error).toMatchObject({ code: 'quota_exceeded' })
    expect(error?.message).toContain(`An account may have ${what}; you have 0, and this adds`)
    expect(error?.message.includes('pay into your balance first')).toBe(quota !== 'folders')
    expect(made(api)).toEqual([])
  })

  it('let an order through that fits exactly', async () => {
    const api = new FakeApi()
    Object.assign(api.limits, { unpaidItems: 2, unpaidBytes: 24, folders: 1 })
    expect(await clientOf(api).put(FILES, { to: 'Bitcoin' })).toMatchObject({ failed: [] })
  })

  it('count nothing of what an order has made already', async () => {
    const api = new FakeApi()
    const client = clientOf(api)
    api.before = ({ path }) => (path === '/v0/item/merge' ? Response.json({}, { status: 500 }) : undefined)
    await thrownBy(client.put(FILES, { to: 'Bitcoin' }))
    api.before = () => undefined
    Object.assign(api.limits, { unpaidItems: 0, unpaidBytes: 0, folders: 0 })
    expect(await client.put(FILES, { to: 'Bitcoin' })).toMatchObject({ failed: [], payments: [{}] })
  })
})

it('what no chain takes is refused by its estimate before it is made, though no limit was given', async () => {
  const api = new FakeApi()
  const refusal = { code: 'too_many_transactions', message: 'Too many.', targets: [] }
  api.before = ({ path }) => {
    if (path === '/v0/targets') return Response.json(targetsJson({ maxIncompressibleBytes: 0 }))
    return path === '/v0/estimate' ? Response.json(refusal, { status: 422 }) : undefined
  }
  const error = await thrownBy(clientOf(api).put({ path: 'a.bin', content: 'x' }, { to: 'Bitcoin' }))
  expect(error).toMatchObject({ code: 'too_many_transactions', details: { targets: [] } })
  expect(made(api)).toEqual([])
})

describe('the order of a put', () => {
  it('is one UUID on all of its items and folders, the same when it goes on, another one for what is stored anew', async () => {
    const api = new FakeApi()
    const client = clientOf(api)
    const files = Array.from({ length: 101 }, (_, index) => ({ path: `f/${index}`, content: String(index) }))
    const ordersOf = () =>
      new Set(
        api.requests
          .filter(({ method, path }) => method === 'POST' && (path === '/v0/item' || path === '/v0/folder'))
          .flatMap(({ body }) => (body.items ?? [body]).map(({ order }) => order)),
      )
    let created = 0
    api.before = ({ path }) => (path === '/v0/item' && ++created === 2 ? Response.json({}, { status: 500 }) : undefined)
    await thrownBy(client.put(files, { to: 'Bitcoin' }))
    await client.put(files, { to: 'Bitcoin' })
    expect([...ordersOf()]).toEqual([expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)])
    await client.put(files, { to: 'Bitcoin', anew: true })
    expect(ordersOf().size).toBe(2)
  })
})
