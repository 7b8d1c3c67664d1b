import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { selectAccountsInTurn } from '../../../../../worker/features/sites/sql/account-turns.ts'
import {
  insertSiteVersionStatements,
  selectSiteVersion,
  selectSiteVersions,
  updateCurrentStatements,
} from '../../../../../worker/features/sites/sql/site-versions.ts'
import {
  deleteSite,
  insertSiteStatement,
  selectShown,
  selectSite,
  selectSites,
} from '../../../../../worker/features/sites/sql/sites.ts'
import { add, addMany, count, list, read } from '../../../rows.ts'
import { clearTables } from './clear-tables.ts'

const { DB } = env

beforeEach(clearTables)

describe('sites', () => {
  const make = (id: string, userId: string, most = 9) =>
    insertSiteStatement(DB, { id, userId, name: id, createdAt: 1 }, most).run()
  const publish = (id: string, userId: string, itemId: string) =>
    DB.batch(insertSiteVersionStatements(DB, { id, userId }, { itemId, note: null, createdAt: 1, whenStored: null }))
  const show = (id: string, userId: string, number: number, at = 5) =>
    DB.batch(updateCurrentStatements(DB, { id, userId }, { number, by: userId, at }))

  beforeEach(async () => {
    await add('items', { id: 'i1', status: 200 }, { id: 'i2', status: 200 }, { id: 'unpaid', status: 402 })
    await add('items', { id: 'bobs', user_id: 'bob', status: 200 })
    await add('sites', { id: 'p' }, { id: 'q' }, { id: 'r', user_id: 'bob' })
  })

  it('are made up to the most that one has', async () => {
    await make('s', 'ada', 2)
    await make('t', 'ada', 3)
    expect(await list('sites', 'id')).toEqual(['p', 'q', 'r', 't'])
  })

  it('have versions of their owner’s stored items, each item once', async () => {
    for (const item of ['i1', 'unpaid', 'bobs', 'i1', 'i2']) await publish('p', 'ada', item)
    await publish('r', 'ada', 'i1')
    await publish('q', 'bob', 'bobs')
    await publish('q', 'ada', 'i2')
    const versions = await list('site_versions', 'site_id || number || item_id')
    expect(versions).toEqual(['p1i1', 'p2i2', 'q1i2'])
    expect(await read('sites', 'id', 'versions')).toEqual({ p: 2, q: 1, r: 0 })
    expect((await selectSiteVersions(DB, 'p', 9, 9)).map(({ number }) => number)).toEqual([2, 1])
    expect((await selectSiteVersions(DB, 'p', 2, 9)).map(({ itemId }) => itemId)).toEqual(['i1'])
    expect((await selectSiteVersions(DB, 'p', 9, 1)).map(({ name }) => name)).toEqual(['i2'])
    const find = (id: string, userId: string, by: { item: string } | { number: number }) =>
      selectSiteVersion(DB, { id, userId }, by)
    expect((await find('p', 'ada', { number: 2 }))?.itemId).toBe('i2')
    expect((await find('q', 'ada', { item: 'i2' }))?.number).toBe(1)
    expect(await find('p', 'bob', { number: 2 })).toBeUndefined()
    expect(await find('p', 'ada', { number: 3 })).toBeUndefined()
    expect(await find('r', 'bob', { number: 1 })).toBeUndefined()
    expect(await find('q', 'ada', { item: 'i1' })).toBeUndefined()
  })

  it('show one version at a time, and know when each was shown', async () => {
    for (const item of ['i1', 'i2']) await publish('p', 'ada', item)
    await publish('q', 'ada', 'i2')
    await show('q', 'ada', 2, 1)
    await show('q', 'ada', 1, 2)
    await show('p', 'ada', 1, 5)
    await show('p', 'ada', 1, 6)
    await show('p', 'bob', 2, 7)
    await show('p', 'ada', 3, 8)
    await show('p', 'ada', 2, 9)
    await show('p', 'ada', 1, 10)
    expect(await read('sites', 'id', 'current')).toEqual({ p: 1, q: 1, r: null })
    expect(await read('sites', 'id', 'switches')).toEqual({ p: 3, q: 1, r: 0 })
    const periods = await list(
      'site_periods',
      "site_id || switch || ':' || number || ':' || from_at || '-' || IFNULL(until_at, '')",
    )
    expect(periods).toEqual(['p1:1:5-9', 'p2:2:9-10', 'p3:1:10-', 'q1:1:2-'])
    const [second, first] = await selectSiteVersions(DB, 'p', 9, 9)
    expect(first?.periods).toEqual([
      { from: 10, until: null, by: 'ada' },
      { from: 5, until: 9, by: 'ada' },
    ])
    expect(second?.periods).toEqual([{ from: 9, until: 10, by: 'ada' }])
    expect(await selectShown(DB, 'p')).toEqual({ shown: { number: 1, itemId: 'i1' } })
    expect(await selectShown(DB, 'r')).toEqual({ shown: undefined })
    expect(await selectShown(DB, 'none')).toBeUndefined()
    expect(await selectSite(DB, 'ada', 'q')).toMatchObject({ id: 'q', itemId: 'i2' })
    expect(await selectSite(DB, 'ada', 'p')).toMatchObject({ id: 'p', itemId: 'i1' })
    expect((await selectSites(DB, 'ada', { after: undefined, limit: 9 })).map(({ id }) => id)).toEqual(['q', 'p'])
    expect(await selectSite(DB, 'ada', 'r')).toBeUndefined()
    expect(await selectSite(DB, 'ada', 'none')).toBeUndefined()
  })

  it('end what was shown before, whatever another site shows', async () => {
    for (const item of ['i1', 'i2']) await publish('q', 'ada', item)
    await show('q', 'ada', 1, 2)
    await show('q', 'ada', 2, 3)
    expect(await list('site_periods', "number || ':' || from_at || '-' || IFNULL(until_at, '')")).toEqual([
      '1:2-3',
      '2:3-',
    ])
  })

  it('have no period before something is shown', async () => {
    await show('p', 'ada', 1)
    expect(await count('site_periods')).toBe(0)
  })

  it('keep their last thousand periods, and tell twenty of each version', async () => {
    await publish('q', 'ada', 'i1')
    await publish('q', 'ada', 'i2')
    const columns = {
      site_id: "'q'",
      switch: 'n',
      number: '1',
      from_at: 'n',
      until_at: 'n',
      user_id: "'ada'",
      made_by: "''",
    }
    await addMany('site_periods', 1_000, columns)
    await addMany('site_periods', 1, { ...columns, site_id: "'r'" })
    await DB.prepare("UPDATE sites SET switches = 1000, current = 1 WHERE id = 'q'").run()
    await show('q', 'ada', 2)
    expect(await count("site_periods WHERE site_id = 'q'")).toBe(1_000)
    expect(await count("site_periods WHERE switch = 1 AND site_id = 'r'")).toBe(1)
    const told = (await selectSiteVersion(DB, { id: 'q', userId: 'ada' }, { number: 1 }))?.periods
    expect(told?.map(({ from }) => from)).toEqual(Array.from({ length: 20 }, (_, n) => 1_000 - n))
  })

  it('are listed for their owner, the newest first, a page at a time', async () => {
    await add('sites', { id: 's', created_at: 1 })
    const page = async (limit: number, after?: { createdAt: number; id: string }) =>
      (await selectSites(DB, 'ada', { after, limit })).map(({ id }) => id)
    expect(await page(9)).toEqual(['s', 'q', 'p'])
    expect(await page(1, { createdAt: 1, id: 's' })).toEqual(['q'])
    expect(await page(9, { createdAt: 0, id: 'q' })).toEqual(['p'])
  })

  it('are removed by their owner with what they were, and their domains are given up', async () => {
    for (const id of ['p', 'q']) {
      await publish(id, 'ada', 'i1')
      await show(id, 'ada', 1)
    }
    await publish('p', 'ada', 'i2')
    const rows = { a: ['p', 'ada'], b: ['q', 'ada'], c: ['p', 'bob'] }
    for (const [host, [item_id = '', user_id = '']] of Object.entries(rows)) {
      await add('domains', { host, item_id, user_id })
      await add('waiting_domains', { host, item_id, user_id })
    }
    expect(await deleteSite(DB, 'ada', 'r', 9)).toBe(false)
    expect(await deleteSite(DB, 'bob', 'p', 9)).toBe(false)
    expect(await count('site_periods')).toBe(2)
    await DB.batch([
      DB.prepare("UPDATE domains SET status = 'active', asked_at = 7"),
      DB.prepare('DELETE FROM waiting_domains'),
    ])
    for (const [host, [item_id = '', user_id = '']] of Object.entries(rows))
      await add('waiting_domains', { host, item_id, user_id })
    expect(await deleteSite(DB, 'ada', 'p', 9)).toBe(true)
    expect(await list('sites', 'id')).toEqual(['q', 'r'])
    expect([await list('site_periods', 'site_id'), await list('site_versions', 'site_id')]).toEqual([['q'], ['q']])
    expect(await read('domains', 'host', 'status || asked_at')).toEqual({ a: 'removing0', b: 'active7', c: 'active7' })
    expect(await list('waiting_domains', 'host')).toEqual(['b', 'c'])
  })
})

describe('the accounts in turn', () => {
  it('are those with something in the queue, from the last one on and around', async () => {
    for (const user_id of ['a', 'b', 'd', 'e'])
      await add('waiting_domains', { host: 'x', user_id }, { host: 'y', user_id })
    const turn = (last: string, limit: number) => selectAccountsInTurn(DB, 'waiting', last, limit)
    expect(await turn('', 9)).toEqual(['a', 'b', 'd', 'e'])
    expect(await turn('b', 2)).toEqual(['d', 'e'])
    expect(await turn('d', 3)).toEqual(['e', 'a', 'b'])
    expect(await turn('d', 9)).toEqual(['e', 'a', 'b', 'd'])
    expect(await turn('c', 9)).toEqual(['d', 'e', 'a', 'b'])
    expect(await turn('e', 1)).toEqual(['a'])
  })

  it('are those with a claim that is pending', async () => {
    await add('domains', { host: 'a', user_id: 'a' }, { host: 'b', user_id: 'b', status: 'removing' })
    expect(await selectAccountsInTurn(DB, 'pending', '', 9)).toEqual([])
    await add('domains', { host: 'c', user_id: 'c', status: 'pending' })
    expect(await selectAccountsInTurn(DB, 'pending', '', 9)).toEqual(['c'])
  })
})
