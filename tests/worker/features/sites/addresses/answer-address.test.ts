import { env, exports } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { evictAddress, resolveAddress } from '../../../../../worker/features/sites/addresses/resolve-address.ts'
import { storeItem } from '../../../../kit/store-item.ts'
import { DagFixture } from '../../../content/ipfs/dag-fixture.ts'
import { fetchApi } from '../../../fetch-api.ts'
import { add, clear } from '../../../rows.ts'
import { PASSWORD, signIn } from '../../../sign-in.ts'

const START = 1_800_000_000_000
const DAY = 86_400_000
const PAGE = '<title>Almanac</title>'

let site: string
let user: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
  await clear('site_addresses')
  for (const label of ['almanac', 'calendar']) evictAddress(label)
  user = await signIn()
  const dag = new DagFixture()
  const cid = await dag.addDirectory({ 'index.html': PAGE, 'a.txt': 'a' })
  await dag.store()
  const item = await storeItem(env.DB, {
    blockchain: 'IPFS',
    mimetype: 'text/html',
    cid: String(cid),
    owner: user.userId,
  })
  const made = await fetchApi('POST', '/v0/site', { token: user.token, body: { name: 'The almanac', item } })
  const body: { id: string } = await made.json()
  site = body.id
  await set('almanac')
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const set = (address: string) => fetchApi('PUT', `/v0/site/${site}/address`, { token: user.token, body: { address } })
const get = (host: string, path = '/', init: RequestInit = {}) =>
  exports.default.fetch(`https://${host}.storage.example${path}`, { redirect: 'manual', ...init })
const read = async (host: string, path = '/') => {
  const response = await get(host, path)
  const text = await response.text()
  const code: unknown = response.status >= 400 ? JSON.parse(text).code : undefined
  return { status: response.status, location: response.headers.get('Location'), text, code }
}

describe('the address of a site', () => {
  it('answers as the host of its id does, which stays', async () => {
    for (const path of ['/', '/a.txt', '/nothing']) {
      const [named, byId] = [await get('almanac', path), await get(site, path)]
      expect([path, named.status, await named.text()]).toEqual([path, byId.status, await byId.text()])
      for (const name of ['Cache-Control', 'ETag', 'Content-Type', 'Strict-Transport-Security']) {
        expect([name, named.headers.get(name)]).toEqual([name, byId.headers.get(name)])
      }
    }
    expect((await read('almanac')).text).toBe(PAGE)
    expect((await read('almanac', '/.well-known/hookline-host')).text).toBe(`${site}\n`)
    expect((await get('almanac', '/', { method: 'POST' })).status).toBe(405)
  })

  it('once changed redirects for 30 days to the new one, page for page, then is gone', async () => {
    await set('calendar')
    const moved = await get('almanac', '/a.txt?b=c')
    expect([moved.status, moved.headers.get('Location')]).toEqual([302, 'https://calendar.storage.example/a.txt?b=c'])
    expect(moved.headers.get('Cache-Control')).toBe('max-age=300')
    vi.setSystemTime(START + 30 * DAY - 1)
    expect(await read('almanac')).toMatchObject({ status: 302 })
    vi.setSystemTime(START + 31 * DAY)
    expect(await read('almanac')).toMatchObject({ status: 410, code: 'address_gone' })
    expect(await read('calendar')).toMatchObject({ status: 200, text: PAGE })
  })

  it('shows the site again where it is taken back', async () => {
    await set('calendar')
    expect(await read('almanac')).toMatchObject({ status: 302 })
    await set('almanac')
    expect(await read('almanac')).toMatchObject({ status: 200 })
    expect(await read('calendar')).toMatchObject({ status: 302, location: 'https://almanac.storage.example/' })
  })

  it('once ended redirects to the id’s host, then is gone', async () => {
    await fetchApi('DELETE', `/v0/site/${site}/address`, { token: user.token })
    expect(await read('almanac')).toMatchObject({ status: 302, location: `https://${site}.storage.example/` })
    vi.setSystemTime(START + 31 * DAY)
    expect(await read('almanac')).toMatchObject({ status: 410 })
  })

  it('ends with the account, as one that is ended, also where memory has the page', async () => {
    expect((await read('almanac')).status).toBe(200)
    const body = { password: PASSWORD }
    expect((await fetchApi('DELETE', '/v0/user', { token: user.token, body })).status).toBe(204)
    vi.setSystemTime(START + 30_000)
    expect(await read('almanac')).toMatchObject({ status: 302, location: `https://${site}.storage.example/` })
    vi.setSystemTime(START + 31 * DAY)
    expect(await read('almanac')).toMatchObject({ status: 410, code: 'address_gone' })
  })

  it('is gone at once with its site', async () => {
    expect((await read('almanac')).status).toBe(200)
    await fetchApi('DELETE', `/v0/site/${site}`, { token: user.token })
    expect(await read('almanac')).toMatchObject({ status: 410, code: 'address_gone' })
  })

  it('is gone where a moderator withdrew it, and the site stays', async () => {
    const { token } = await signIn('admin')
    expect((await read('almanac')).status).toBe(200)
    await fetchApi('POST', '/v0/address/almanac/withdraw', { token, body: { reason: 'Pretends to be a bank' } })
    expect(await read('almanac')).toMatchObject({ status: 410, code: 'address_gone' })
    expect(await read(site)).toMatchObject({ status: 200 })
  })

  it('is denied with its site', async () => {
    const { token } = await signIn('admin')
    await fetchApi('PUT', '/v0/denied', { token, body: { kind: 'item', value: 'almanac', reason: 'x' } })
    expect(await read('almanac')).toMatchObject({ status: 451, code: 'denied' })
    expect(await read(site)).toMatchObject({ status: 451 })
    await fetchApi('DELETE', '/v0/denied', { token, body: { kind: 'item', value: 'almanac' } })
  })
})

describe('a label that is no address', () => {
  it('is nothing, and looked up once in half a minute', async () => {
    const prepare = vi.spyOn(env.DB, 'prepare')
    const ask = (at: number) => resolveAddress(env, 'nothing', at, async () => {})
    expect(await ask(START)).toBeUndefined()
    expect(await ask(START + 29_999)).toBeUndefined()
    expect(prepare).toHaveBeenCalledTimes(1)
    expect(await ask(START + 30_000)).toBeUndefined()
    expect(prepare).toHaveBeenCalledTimes(2)
    expect(await read('nothing-here')).toMatchObject({ status: 404, code: 'not_found' })
  })

  it('S11: is looked up in the database at most 300 times a minute, and addresses that are known are answered meanwhile', async () => {
    const at = START + 10 * DAY
    const count = vi.fn(async () => {})
    await resolveAddress(env, 'almanac', at, count)
    const prepare = vi.spyOn(env.DB, 'prepare')
    const outcomes = []
    for (let n = 0; n < 310; n++) {
      outcomes.push(
        await resolveAddress(env, `nothing-${n}-x`, at, count).catch(({ code, headers }) => [
          code,
          headers['Retry-After'],
        ]),
      )
    }
    expect(prepare).toHaveBeenCalledTimes(300)
    expect(outcomes.filter((outcome) => outcome !== undefined)).toEqual(Array(10).fill(['busy', '60']))
    expect(count.mock.calls.length).toBeGreaterThanOrEqual(310)
    expect(await resolveAddress(env, 'almanac', at + 40_000, count)).toMatchObject({ siteId: site })
    expect(await resolveAddress(env, 'nothing-x', at + 60_000, count)).toBeUndefined()
  })

  it('costs an account with addresses none of these lookups', async () => {
    const at = START + 20 * DAY
    const labels = Array.from({ length: 310 }, (_, n) => `held-${n}-x`)
    await add('site_addresses', ...labels.map((label, n) => ({ label, user_id: 'ada', site_id: `s${n}` })))
    for (const label of labels)
      expect(await resolveAddress(env, label, at, async () => {})).toMatchObject({ userId: 'ada' })
  })

  it('is served as it was known while the database does not answer', async () => {
    const at = START + 40 * DAY
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await resolveAddress(env, 'almanac', at, async () => {})
    vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('D1 is away')
    })
    expect(await resolveAddress(env, 'almanac', at + 60_000, async () => {})).toMatchObject({ siteId: site })
    await expect(resolveAddress(env, 'calendar', at, async () => {})).rejects.toThrow('D1 is away')
  })
})
