import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { storeItem } from '../../../../kit/store-item.ts'
import { fetchApi } from '../../../fetch-api.ts'
import { clear, list, runSql } from '../../../rows.ts'
import { PASSWORD, signIn } from '../../../sign-in.ts'

const START = 1_800_000_000_000

let user: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
  await clear('site_addresses')
  user = await signIn()
})
afterEach(() => void vi.useRealTimers())

const call = async (method: string, path: string, body?: unknown, who = user) => {
  const response = await fetchApi(method, `/v0/site${path}`, { body, token: who.token })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
const make = async (who = user): Promise<string> => {
  const item = await storeItem(env.DB, { blockchain: 'IPFS', cid: 'bafkqaaa', owner: who.userId })
  return (await call('POST', '', { name: 'The almanac', item }, who)).body.id
}
const set = (site: string, address: string, who = user) => call('PUT', `/${site}/address`, { address }, who)
const held = () => list('site_addresses', "label || IIF(until_at IS NULL, '', ' ended')")

describe('the address of a site', () => {
  it('is set, told with the site, and changed', async () => {
    const site = await make()
    expect((await call('GET', `/${site}`)).body).toMatchObject({ address: null, addressUrl: null })
    const { status, body } = await set(site, 'almanac')
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        id: site,
        host: `${site}.storage.example`,
        url: `https://${site}.storage.example/`,
        address: 'almanac',
        addressUrl: 'https://almanac.storage.example/',
      }),
    ])
    expect((await call('GET', `/${site}`)).body).toEqual(body)
    expect((await call('GET', '')).body.sites).toContainEqual(body)
    expect((await set(site, 'almanac')).body).toEqual(body)
    expect((await set(site, 'calendar')).body).toMatchObject({ address: 'calendar' })
    expect(await held()).toEqual(['almanac ended', 'calendar'])
  })

  it('is ended, and stays its account’s: for the same site or another one', async () => {
    const [one, two] = [await make(), await make()]
    await set(one, 'almanac')
    expect(await call('DELETE', `/${one}/address`)).toEqual({ status: 204, body: undefined })
    expect((await call('GET', `/${one}`)).body).toMatchObject({ address: null, addressUrl: null })
    expect((await call('DELETE', `/${one}/address`)).status).toBe(204)
    expect((await set(two, 'almanac')).body).toMatchObject({ address: 'almanac' })
    expect(await set(one, 'almanac')).toMatchObject({
      status: 409,
      body: { code: 'address_taken', message: expect.stringContaining(two) },
    })
  })

  it('S8: is never that of another account, not after a change, nor after the site or the account is gone', async () => {
    const other = await signIn()
    const [site, theirs] = [await make(), await make(other)]
    await set(site, 'almanac')
    const refused = { status: 409, body: { code: 'address_taken' } }
    expect(await set(theirs, 'almanac', other)).toMatchObject(refused)
    await set(site, 'calendar')
    expect(await set(theirs, 'almanac', other)).toMatchObject(refused)
    await call('DELETE', `/${site}`)
    expect(await set(theirs, 'calendar', other)).toMatchObject(refused)
    expect(await held()).toEqual(['almanac ended', 'calendar ended'])
    const last = await make()
    await set(last, 'calendar')
    const { status } = await fetchApi('DELETE', '/v0/user', { token: user.token, body: { password: PASSWORD } })
    expect(status).toBe(204)
    expect(await held()).toEqual(['almanac ended', 'calendar ended'])
    expect(await set(theirs, 'calendar', other)).toMatchObject(refused)
    expect((await call('GET', `/${theirs}`, undefined, other)).body).toMatchObject({ address: null })
  })

  it.each([
    ['without a version', 'DELETE FROM site_versions', 409],
    ['with one that waits for its payment', 'UPDATE items SET status = 402', 409],
    ['with one that is being written', 'UPDATE items SET status = 202', 200],
  ])('is for a site that somebody paid for: %s', async (_, sql, status) => {
    const site = await make()
    await runSql(sql)
    const answer = await set(site, 'almanac')
    expect(answer.status).toBe(status)
    if (status === 409) expect(answer.body.code).toBe('site_unpaid')
    expect(await held()).toEqual(status === 409 ? [] : ['almanac'])
  })

  it('S10: is one of ten of an account, those that it ended among them', async () => {
    const site = await make()
    for (let n = 0; n < 10; n++) expect((await set(site, `almanac-${n}`)).status).toBe(200)
    expect(await set(site, 'calendar')).toMatchObject({
      status: 409,
      body: { code: 'quota_exceeded', limit: 10, used: 10 },
    })
    expect((await call('GET', `/${site}`)).body).toMatchObject({ address: 'almanac-9' })
    expect((await set(site, 'almanac-3')).body).toMatchObject({ address: 'almanac-3' })
  })

  it.each([
    ['deadbeef', 'invalid_field'],
    ['a', 'invalid_field'],
    ['Almanac', 'invalid_field'],
    [7, 'invalid_field'],
    ['www', 'address_reserved'],
    ['paypa1-login', 'address_misleading'],
  ])('is not %s, and nothing is changed then', async (address, code) => {
    const site = await make()
    await set(site, 'almanac')
    expect(await call('PUT', `/${site}/address`, { address })).toMatchObject({ status: 400, body: { code } })
    expect((await call('GET', `/${site}`)).body).toMatchObject({ address: 'almanac' })
  })

  it('is of one’s own sites alone', async () => {
    const site = await make()
    const other = await signIn()
    expect((await set(site, 'almanac', other)).status).toBe(404)
    await set(site, 'almanac')
    expect((await call('DELETE', `/${site}/address`, undefined, other)).status).toBe(404)
    expect(await held()).toEqual(['almanac'])
  })

  it('is one account’s where several ask for it at once', async () => {
    const others = await Promise.all([signIn(), signIn(), signIn()])
    const sites = await Promise.all(others.map((who) => make(who)))
    const answers = await Promise.all(others.map((who, at) => set(sites[at] ?? '', 'almanac', who)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  })
})

describe('a moderator', () => {
  const withdraw = async (address: string, who: typeof user, reason: unknown = 'Pretends to be a bank') =>
    await fetchApi('POST', `/v0/address/${address}/withdraw`, { token: who.token, body: { reason } })

  it('withdraws an address for ever, which the audit log tells once', async () => {
    const moderator = await signIn('admin')
    const site = await make()
    await set(site, 'almanac')
    expect((await withdraw('almanac', moderator)).status).toBe(204)
    expect((await withdraw('almanac', moderator)).status).toBe(204)
    expect((await call('GET', `/${site}`)).body).toMatchObject({ address: null })
    expect(await set(site, 'almanac')).toMatchObject({ status: 409, body: { code: 'address_taken' } })
    expect(await list('audit', "act || ' ' || subject || ' ' || reason")).toEqual(
      expect.arrayContaining(['address.withdrawn address:almanac Pretends to be a bank']),
    )
    const log = await list('audit', 'act')
    expect(log.filter((act) => act === 'address.withdrawn')).toHaveLength(1)
  })

  it('gives a reason, names one that there is, and may do so', async () => {
    const moderator = await signIn('admin')
    await set(await make(), 'almanac')
    expect((await withdraw('calendar', moderator)).status).toBe(404)
    expect((await withdraw('almanac', moderator, '')).status).toBe(400)
    expect((await withdraw('almanac', user)).status).toBe(403)
    expect(await held()).toEqual(['almanac'])
  })

  it('denies and lifts a site by its address, by its host and by a page on it', async () => {
    const moderator = await signIn('admin')
    const site = await make()
    await set(site, 'almanac')
    const denied = async (method: string, value: string) =>
      (
        await fetchApi(method, '/v0/denied', {
          token: moderator.token,
          body: { kind: 'item', value, reason: 'order 12/2026' },
        })
      ).status
    for (const value of [
      'almanac',
      'almanac.storage.example',
      'https://almanac.storage.example/a?b',
      `https://${site}.storage.example/`,
    ]) {
      expect([value, await denied('PUT', value)]).toEqual([value, 204])
      expect(await list('denied', 'value || lifted')).toEqual([`${site}0`])
      expect(await denied('DELETE', value)).toBe(204)
      expect(await list('denied', 'value || lifted')).toEqual([`${site}1`])
    }
    expect(await denied('PUT', 'calendar')).toBe(404)
    expect(await denied('PUT', 'calendar.elsewhere.example')).toBe(400)
  })

  it('gets what is reported by an address as a report of the site', async () => {
    const moderator = await signIn('admin')
    const site = await make()
    await set(site, 'almanac')
    const report = async (value: string) =>
      (await fetchApi('POST', '/v0/report', { body: { kind: 'item', value, reason: 'phishing' } })).status
    expect(await report('https://almanac.storage.example/login')).toBe(201)
    expect(await report('calendar')).toBe(404)
    const answer = await fetchApi('GET', '/v0/report', { token: moderator.token })
    expect(await answer.json()).toMatchObject({ reports: [{ kind: 'item', value: site, address: 'almanac' }] })
  })
})
