import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { switchStored } from '../../../../worker/features/sites/switch-stored.ts'
import { storeItem } from '../../../kit/store-item.ts'
import { DagFixture } from '../../content/ipfs/dag-fixture.ts'
import { fetchApi } from '../../fetch-api.ts'
import { signIn } from '../../sign-in.ts'

const START = 1_800_000_000_000

let user: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
  user = await signIn()
})
afterEach(() => void vi.useRealTimers())

const call = async (method: string, path: string, body?: unknown) => {
  const response = await fetchApi(method, `/v0/site${path}`, { body, token: user.token })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
const WRITING = 202
const item = (status = WRITING) =>
  storeItem(env.DB, { blockchain: 'IPFS', cid: 'bafkqaaa', owner: user.userId, status })
const setStored = (id: string) => env.DB.prepare('UPDATE items SET status = 200 WHERE id = ?').bind(id).run()
const remove = (id: string) => env.DB.prepare('UPDATE items SET removed_at = 1 WHERE id = ?').bind(id).run()
/** What the Worker does once an item is stored. */
const switchNow = () => switchStored(env, Date.now())

const makeSite = async (first?: string) =>
  (await call('POST', '', { name: 'The almanac', ...(first && { item: first }) })).body.id
const add = async (site: string, id: string) =>
  await call('POST', `/${site}/versions`, { item: id, current: 'when_stored' })
const shown = async (site: string) => (await call('GET', `/${site}`)).body
const versions = async (site: string) => (await call('GET', `/${site}/versions`)).body.versions

/** A directory whose `_headers` make its host answer 500, not stored yet. */
async function failingDirectory(): Promise<string> {
  const dag = new DagFixture()
  const cid = await dag.addDirectory({ 'index.html': '<p>', _headers: 'no path\n' })
  await dag.store()
  const id = await storeItem(env.DB, { blockchain: 'IPFS', cid: String(cid), owner: user.userId, status: WRITING })
  await env.DB.prepare("UPDATE items SET directory_of = 'folder' WHERE id = ?").bind(id).run()
  return id
}

describe('a version that is to become current once it is stored', () => {
  it('is added before that, and changes nothing until then', async () => {
    const site = await makeSite(await item(200))
    const next = await item()
    const { status, body } = await add(site, next)
    expect([status, body]).toMatchObject([
      201,
      { number: 2, item: next, status: '202 Accepted', current: 'when_stored', periods: [] },
    ])
    await switchNow()
    expect(await shown(site)).toMatchObject({ version: 1, versions: 2, waiting: 2 })
  })

  it('becomes current once it is, by whoever asked for it', async () => {
    const site = await makeSite(await item(200))
    const next = await item()
    await add(site, next)
    await setStored(next)
    vi.setSystemTime(START + 60_000)
    await switchNow()
    expect(await shown(site)).toMatchObject({ version: 2, item: next, waiting: null })
    const [second, first] = await versions(site)
    const { by } = first.periods[0]
    expect(second).toMatchObject({ current: null, periods: [{ from: START / 1000 + 60, until: null, by }] })
    expect(first.periods).toMatchObject([{ from: START / 1000, until: START / 1000 + 60 }])
  })

  it('becomes current at once where it is stored already', async () => {
    const site = await makeSite(await item(200))
    const next = await item(200)
    expect((await add(site, next)).body).toMatchObject({ number: 2, current: null, periods: [{ until: null }] })
    expect(await shown(site)).toMatchObject({ version: 2, item: next })
  })

  it('can be the first one of a new site', async () => {
    const first = await item()
    const made = await call('POST', '', { name: 'The almanac', item: first, current: 'when_stored' })
    expect([made.status, made.body]).toMatchObject([201, { version: null, item: null, versions: 1, waiting: 1 }])
    expect(await shown(made.body.id)).toEqual(made.body)
    await setStored(first)
    await switchNow()
    expect(await shown(made.body.id)).toMatchObject({ version: 1, item: first, waiting: null })
  })

  it('does not replace a version that was made current by hand since', async () => {
    const [one, two, next] = [await item(200), await item(200), await item()]
    const site = await makeSite(one)
    await call('POST', `/${site}/versions`, { item: two })
    await add(site, next)
    await call('PUT', `/${site}/current`, { version: 2 })
    await setStored(next)
    await switchNow()
    expect(await shown(site)).toMatchObject({ version: 2, waiting: null })
    expect((await versions(site))[0]).toMatchObject({ number: 3, current: null, periods: [] })
  })

  it('does not replace one that was added after it and stored before it', async () => {
    const [older, newer] = [await item(), await item()]
    const site = await makeSite(await item(200))
    await add(site, older)
    await add(site, newer)
    await setStored(newer)
    await switchNow()
    await setStored(older)
    await switchNow()
    expect(await shown(site)).toMatchObject({ version: 3, item: newer, waiting: null })
  })

  it('is replaced by one that was added after it', async () => {
    const [older, newer] = [await item(), await item()]
    const site = await makeSite(await item(200))
    await add(site, older)
    await add(site, newer)
    await setStored(older)
    await switchNow()
    expect(await shown(site)).toMatchObject({ version: 2, waiting: 3 })
    await setStored(newer)
    await switchNow()
    expect(await shown(site)).toMatchObject({ version: 3, waiting: null })
  })

  it('leaves the site as it is where the site would answer 500, says so, and can be confirmed', async () => {
    const site = await makeSite(await item(200))
    const failing = await failingDirectory()
    await add(site, failing)
    await setStored(failing)
    await switchNow()
    expect(await shown(site)).toMatchObject({ version: 1, waiting: null })
    expect((await versions(site))[0]).toMatchObject({ number: 2, current: 'site_fails', periods: [] })
    await call('PUT', `/${site}/current`, { version: 2, confirm: true })
    expect((await versions(site))[0]).toMatchObject({ number: 2, current: null })
  })

  it('is gone with an item that is removed unpaid, whose number is not used again', async () => {
    const site = await makeSite(await item(200))
    const next = await item()
    await add(site, next)
    await remove(next)
    expect((await versions(site)).map(({ number }: { number: number }) => number)).toEqual([1])
    expect((await add(site, await item())).body.number).toBe(3)
  })

  it('is of no effect for a site that was deleted', async () => {
    const next = await item()
    const site = await makeSite(await item(200))
    await add(site, next)
    await call('DELETE', `/${site}`)
    await setStored(next)
    await switchNow()
    expect((await call('GET', `/${site}`)).status).toBe(404)
  })

  it('waits for an item of the account alone, and for no file of a directory', async () => {
    const site = await makeSite()
    const foreign = await storeItem(env.DB, { blockchain: 'IPFS', cid: 'bafkqaaa', status: WRITING })
    expect((await add(site, foreign)).status).toBe(404)
    const file = await item()
    await env.DB.prepare('UPDATE items SET part_of = ? WHERE id = ?')
      .bind(await item(), file)
      .run()
    expect((await add(site, file)).body.code).toBe('item_in_directory')
  })

  it('cannot be made current by hand before it is stored', async () => {
    const site = await makeSite(await item(200))
    await add(site, await item())
    expect(await call('PUT', `/${site}/current`, { version: 2 })).toMatchObject({
      status: 409,
      body: { code: 'item_not_stored' },
    })
  })

  it('counts against the quota of sites as any other', async () => {
    const insert = env.DB.prepare("INSERT INTO sites (id, user_id, name, created_at) VALUES (?, ?, 'x', 0)")
    await env.DB.batch(Array.from({ length: 100 }, (_, n) => insert.bind(`site-${n}`, user.userId)))
    const body = { name: 'The almanac', item: await item(), current: 'when_stored' }
    expect(await call('POST', '', body)).toMatchObject({ status: 409, body: { code: 'quota_exceeded' } })
  })
})
