import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { batchIf } from '../../../worker/storage/guarded-batch.ts'
import { selectAccountsInTurn } from '../../../worker/storage/sites/account-turns.ts'
import {
  insertDenied,
  insertDeniedStatements,
  liftDenied,
  selectDenied,
  selectDeniedChanges,
  selectDeniedValues,
} from '../../../worker/storage/sites/denied.ts'
import { selectDomainsOf } from '../../../worker/storage/sites/domain-lists.ts'
import {
  claimDomain,
  type Domain,
  deleteDomain,
  deleteDomainAnswer,
  deleteRemovedDomain,
  lapseDomain,
  selectClaimedHosts,
  selectDomain,
  selectDomainAnswer,
  takeDomainsToLookAt,
  takeDomainsToRemove,
  takePendingDomains,
  updateDomainSeen,
  updateDomainStatus,
  updateDomainSteps,
  upsertDomainAnswer,
} from '../../../worker/storage/sites/domains.ts'
import {
  insertSiteVersionStatements,
  selectSiteVersion,
  selectSiteVersions,
  updateCurrentStatements,
} from '../../../worker/storage/sites/site-versions.ts'
import {
  deleteSite,
  insertSiteStatement,
  selectShown,
  selectSite,
  selectSites,
} from '../../../worker/storage/sites/sites.ts'
import {
  deleteOldWaits,
  deleteWaitingDomain,
  selectWaitingDomain,
  takeWaitingDomains,
  updateWaitingSteps,
  upsertWaitingDomain,
} from '../../../worker/storage/sites/waiting-domains.ts'
import { add, addMany, clear, count, list, read } from './rows.ts'

const { DB } = env

beforeEach(async () => {
  await clear('domains', 'waiting_domains', 'domain_answers', 'site_periods', 'site_versions', 'sites', 'items')
})

const claimed = (given: Partial<Domain> = {}): Domain => ({
  ...{ host: 'a', kind: 'item', id: 'item', userId: 'ada', customHostnameId: undefined, status: 'active', record: 'r' },
  steps: null,
  ...given,
})
const owners = () => read('domains', 'host', 'user_id')
const hosts = (domains: readonly { host: string }[]) => domains.map(({ host }) => host).sort()

describe('a claim of a domain', () => {
  const claim = (given: Partial<Domain>, most = 9) => claimDomain(DB, claimed(given), 100, 50, most)

  it('is made once, and made anew by its owner for something else', async () => {
    expect(await claim({})).toBe(true)
    expect(await claim({ userId: 'bob' })).toBe(false)
    expect(await claim({ id: 'other' })).toBe(true)
    expect(await read('domains', 'host', 'user_id || item_id || seen_at')).toEqual({ a: 'adaother100' })
  })

  it('ends what its owner waited for there, and nothing else', async () => {
    await add('waiting_domains', { host: 'a' }, { host: 'b' }, { host: 'a', user_id: 'bob' })
    await claim({})
    expect(await list('waiting_domains', 'user_id || host')).toEqual(['adab', 'boba'])
    // Of somebody else's host, nobody's wait ends.
    expect(await claim({ userId: 'bob' })).toBe(false)
    expect(await list('waiting_domains', 'user_id || host')).toEqual(['adab', 'boba'])
  })

  it('ends no wait where the host is still claimed for something else, or given up', async () => {
    await add('domains', { host: 'a', user_id: 'ada', item_id: 'item', status: 'removing' })
    await add('domains', { host: 'b', user_id: 'bob', claimed_at: 99 }, { host: 'c', item_id: 'item' })
    await add('waiting_domains', { host: 'b' })
    expect(await claim({ host: 'b' })).toBe(false)
    expect(await count('waiting_domains')).toBe(1)
  })

  it('is refused beyond the most that one has, but for what one has or waits for', async () => {
    await add('domains', { host: 'mine' }, { host: 'given-up', status: 'removing' }, { host: 'bobs', user_id: 'bob' })
    await add('waiting_domains', { host: 'waits' }, { host: 'of-bob', user_id: 'bob' })
    for (const host of ['new', 'given-up', 'of-bob', 'bobs']) expect(await claim({ host }, 2)).toBe(false)
    for (const host of ['mine', 'waits']) expect(await claim({ host }, 2)).toBe(true)
    expect(await claim({ host: 'new' }, 3)).toBe(true)
  })

  it.each([
    ['whose claim and answer are as young as that', { claimed_at: 50, seen_at: 0 }, undefined, false],
    ['whose record was seen since', { claimed_at: 0, seen_at: 50 }, undefined, false],
    ['that DNS has not named since', { claimed_at: 49, seen_at: 49 }, undefined, true],
    [
      'that a visitor was shown since',
      { claimed_at: 0, seen_at: 0 },
      { host: 'a', item_id: 'item', seen_at: 50 },
      false,
    ],
    [
      'that a visitor was shown before',
      { claimed_at: 0, seen_at: 0 },
      { host: 'a', item_id: 'item', seen_at: 49 },
      true,
    ],
    ['that shows something else now', { claimed_at: 0, seen_at: 0 }, { host: 'a', item_id: 'x', seen_at: 99 }, true],
    ['beside one that was shown', { claimed_at: 0, seen_at: 0 }, { host: 'b', item_id: 'item', seen_at: 99 }, true],
    ['that is being removed', { claimed_at: 99, seen_at: 99, status: 'removing' }, undefined, true],
  ])('takes the place of another’s %s: %o, %o', async (_, row, answer, taken) => {
    await add('domains', { host: 'a', user_id: 'bob', ...row })
    if (answer) await add('domain_answers', answer)
    expect(await claim({})).toBe(taken)
    expect(await owners()).toEqual({ a: taken ? 'ada' : 'bob' })
  })

  it('lapses by the same rule, each by itself', async () => {
    const rows = { young: [50, 0], seen: [0, 50], shown: [49, 49], other: [49, 49], lapsed: [49, 49] }
    for (const [host, [claimed_at = 0, seen_at = 0]] of Object.entries(rows))
      await add('domains', { host, claimed_at, seen_at })
    await add(
      'domain_answers',
      { host: 'shown', item_id: 'item', seen_at: 50 },
      { host: 'x', item_id: 'item', seen_at: 99 },
    )
    await add(
      'domain_answers',
      { host: 'other', item_id: 'else', seen_at: 50 },
      { host: 'lapsed', item_id: 'item', seen_at: 49 },
    )
    const lapse = (host: string, given: Partial<Domain> = {}) => lapseDomain(DB, claimed({ host, ...given }), 50)
    for (const host of ['young', 'seen', 'shown', 'none']) expect(await lapse(host)).toBe(false)
    expect(await lapse('lapsed', { userId: 'bob' })).toBe(false)
    expect(await lapse('lapsed', { id: 'else' })).toBe(false)
    expect(await lapse('lapsed')).toBe(true)
    expect(await lapse('other')).toBe(true)
    expect(await read('domains', 'host', 'status')).toEqual({
      ...{ lapsed: 'removing', other: 'removing', seen: 'active', shown: 'active', young: 'active' },
    })
  })

  it('keeps what Cloudflare says of it, unless it is removed', async () => {
    await add(
      'domains',
      { host: 'a', status: 'pending', custom_hostname_id: 'h' },
      { host: 'b', user_id: 'bob', custom_hostname_id: 'i' },
    )
    await claim({ status: 'new' })
    expect(await read('domains', 'host', 'status')).toMatchObject({ a: 'pending' })
    await DB.prepare("UPDATE domains SET status = 'removing' WHERE host = 'a'").run()
    await claim({ status: 'new' })
    expect(await read('domains', 'host', 'status')).toMatchObject({ a: 'new', b: 'active' })
  })

  it('notes what Cloudflare answered, what DNS said and its steps, for its owner while it stands', async () => {
    await add('domains', { host: 'a' }, { host: 'b' }, { host: 'c', status: 'removing' }, { host: 'd', user_id: 'bob' })
    expect(await updateDomainStatus(DB, claimed(), 'h', 'pending')).toBe(true)
    expect(await updateDomainStatus(DB, claimed({ host: 'c' }), 'h', 'pending')).toBe(false)
    expect(await updateDomainStatus(DB, claimed({ host: 'd' }), 'h', 'pending')).toBe(false)
    expect(await read('domains', 'host', 'custom_hostname_id')).toEqual({ a: 'h', b: null, c: null, d: null })
    await updateDomainSteps(DB, claimed(), 's')
    await updateDomainSteps(DB, claimed({ host: 'd' }), 's')
    expect(await read('domains', 'host', 'steps')).toEqual({ a: 's', b: null, c: null, d: null })
    await updateDomainSeen(DB, claimed(), 7)
    await updateDomainSeen(DB, claimed({ host: 'b', id: 'else' }), 7)
    await updateDomainSeen(DB, claimed({ host: 'd' }), 7)
    expect(await read('domains', 'host', 'seen_at')).toEqual({ a: 7, b: 0, c: 0, d: 0 })
    await deleteDomain(DB, 'a', 'bob')
    await deleteDomain(DB, 'b', 'ada')
    expect(await list('domains', 'host')).toEqual(['a', 'c', 'd'])
  })

  it('is found while it stands; its host is taken until it is gone', async () => {
    await add('domains', { host: 'a' }, { host: 'b', user_id: 'bob' }, { host: 'c', status: 'removing' })
    expect((await selectDomain(DB, 'b'))?.userId).toBe('bob')
    expect(await selectDomain(DB, 'c')).toBeUndefined()
    expect(await selectDomain(DB, 'd')).toBeUndefined()
    expect(await selectClaimedHosts(DB, ['a', 'c', 'd'])).toEqual(new Set(['a', 'c']))
  })

  it('is looked at in its turn, those longest ago first', async () => {
    await add('domains', { host: 'a', looked_at: 3 }, { host: 'b', looked_at: 2 }, { host: 'c', looked_at: 5 })
    await add('domains', { host: 'd', looked_at: 1, status: 'removing' })
    expect(hosts(await takeDomainsToLookAt(DB, 9, 5, 1))).toEqual(['b'])
    expect(hosts(await takeDomainsToLookAt(DB, 9, 5, 9))).toEqual(['a'])
    expect(await read('domains', 'host', 'looked_at')).toEqual({ a: 9, b: 9, c: 5, d: 1 })
  })

  it('is asked about in its turn while it is pending, some of each account', async () => {
    const pending = { status: 'pending' }
    await add('domains', { ...pending, host: 'a', asked_at: 3 }, { ...pending, host: 'b', asked_at: 2 })
    await add('domains', { host: 'c' }, { host: 'd', status: 'removing' }, { ...pending, host: 'e', user_id: 'bob' })
    await add('domains', { ...pending, host: 'f', user_id: 'eve' })
    expect(hosts(await takePendingDomains(DB, ['ada', 'bob'], 1, 9))).toEqual(['b', 'e'])
    expect(await read('domains', 'host', 'asked_at')).toEqual({ a: 3, b: 9, c: 0, d: 0, e: 9, f: 0 })
    expect(hosts(await takePendingDomains(DB, ['ada'], 5, 10))).toEqual(['a', 'b'])
  })

  it('that was given up is removed in its turn, and its host is free then', async () => {
    const removing = { status: 'removing' }
    await add(
      'domains',
      { ...removing, host: 'a', asked_at: 3 },
      { ...removing, host: 'b', asked_at: 2 },
      { host: 'c' },
    )
    expect(hosts(await takeDomainsToRemove(DB, 9, 1))).toEqual(['b'])
    expect(hosts(await takeDomainsToRemove(DB, 10, 9))).toEqual(['a', 'b'])
    await add('domains', { host: 'd', custom_hostname_id: 'h' }, { host: 'e', custom_hostname_id: 'h' })
    for (const host of ['a', 'c', 'd']) await deleteRemovedDomain(DB, host, host === 'd' ? 'h' : undefined)
    await deleteRemovedDomain(DB, 'e', 'other')
    expect(await read('domains', 'host', 'status')).toEqual({ b: 'removing', c: 'active', d: 'pending', e: 'active' })
    expect(await read('domains', 'host', 'custom_hostname_id')).toEqual({ b: null, c: null, d: null, e: 'h' })
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

describe('what DNS named for a host', () => {
  it('is written again when it differs or is old, and forgotten by itself', async () => {
    await upsertDomainAnswer(DB, 'a', 'one', 10, 0)
    await upsertDomainAnswer(DB, 'a', 'one', 20, 10)
    await upsertDomainAnswer(DB, 'b', 'one', 20, 10)
    expect(await read('domain_answers', 'host', 'seen_at')).toEqual({ a: 10, b: 20 })
    await upsertDomainAnswer(DB, 'a', 'one', 30, 11)
    expect(await read('domain_answers', 'host', 'seen_at')).toEqual({ a: 30, b: 20 })
    await upsertDomainAnswer(DB, 'a', 'two', 31, 0)
    expect(await selectDomainAnswer(DB, 'a')).toBe('two')
    expect(await selectDomainAnswer(DB, 'b')).toBe('one')
    await deleteDomainAnswer(DB, 'none')
    await deleteDomainAnswer(DB, 'a')
    expect(await list('domain_answers', 'host')).toEqual(['b'])
  })
})

describe('waiting for a domain', () => {
  const wait = (host: string, most: number, userId = 'ada') =>
    upsertWaitingDomain(DB, { host, userId, id: 'new', kind: 'item', waitUntil: 200, steps: null }, 100, most)

  it('is for as many as one may have, and goes on beyond that for what one has', async () => {
    await add('waiting_domains', { host: 'a' }, { host: 'b', user_id: 'bob' })
    await add('domains', { host: 'c' }, { host: 'd', status: 'removing' }, { host: 'e', user_id: 'bob' })
    for (const host of ['b', 'd', 'e']) expect(await wait(host, 2)).toBe(false)
    for (const host of ['a', 'c']) expect(await wait(host, 2)).toBe(true)
    expect(await wait('f', 3)).toBe(true)
    expect(await read('waiting_domains', 'user_id || host', 'item_id')).toEqual({
      adaa: 'new',
      adac: 'new',
      adaf: 'new',
      bobb: 'item',
    })
  })

  it('is one user’s for one host, with steps of its own', async () => {
    await add('waiting_domains', { host: 'a' }, { host: 'a', user_id: 'bob' }, { host: 'b' })
    expect((await selectWaitingDomain(DB, 'a', 'bob'))?.userId).toBe('bob')
    expect(await selectWaitingDomain(DB, 'b', 'bob')).toBeUndefined()
    await updateWaitingSteps(DB, { host: 'a', userId: 'ada' }, 's')
    expect(await read('waiting_domains', 'user_id || host', 'steps')).toEqual({ adaa: 's', adab: null, boba: null })
    expect(await deleteWaitingDomain(DB, 'c', 'ada')).toBe(false)
    expect(await deleteWaitingDomain(DB, 'a', 'ada')).toBe(true)
    expect(await list('waiting_domains', 'user_id || host')).toEqual(['adab', 'boba'])
  })

  it('is looked at in its turn until its end, some of each account', async () => {
    await add('waiting_domains', { host: 'a', looked_at: 3 }, { host: 'b', looked_at: 2 }, { host: 'c', wait_until: 9 })
    await add('waiting_domains', { host: 'a', user_id: 'bob' }, { host: 'a', user_id: 'eve' })
    expect((await takeWaitingDomains(DB, ['ada', 'bob'], 1, 9)).map((one) => one.userId + one.host).sort()).toEqual([
      'adab',
      'boba',
    ])
    const looked = await read('waiting_domains', 'user_id || host', 'looked_at')
    expect(looked).toEqual({ adaa: 3, adab: 9, adac: 0, boba: 9, evea: 0 })
    expect(await takeWaitingDomains(DB, ['ada'], 5, 8)).toHaveLength(3)
  })

  it('in vain is forgotten, the longest over first', async () => {
    await add(
      'waiting_domains',
      { host: 'a', wait_until: 4 },
      { host: 'b', wait_until: 3 },
      { host: 'c', wait_until: 5 },
    )
    await deleteOldWaits(DB, 5, 1)
    expect(await list('waiting_domains', 'host')).toEqual(['a', 'c'])
    await deleteOldWaits(DB, 5, 9)
    expect(await list('waiting_domains', 'host')).toEqual(['c'])
  })
})

describe('lists of domains', () => {
  it('have what one claimed and waits for, once, a page at a time', async () => {
    await add('domains', { host: 'a' }, { host: 'c' }, { host: 'd', status: 'removing' }, { host: 'e', user_id: 'bob' })
    await add(
      'waiting_domains',
      { host: 'b' },
      { host: 'c' },
      { host: 'd' },
      { host: 'e' },
      { host: 'f', user_id: 'bob' },
    )
    const page = async (cursor: string, limit: number, site?: string) =>
      (await selectDomainsOf(DB, 'ada', { site, cursor, limit })).map(({ host, waitUntil }) => host + (waitUntil ?? ''))
    expect(await page('', 9)).toEqual(['a', 'b100', 'c', 'd100', 'e100'])
    expect(await page('a', 2)).toEqual(['b100', 'c'])
    expect(await page('c', 9)).toEqual(['d100', 'e100'])
    await add('domains', { host: 'g', item_id: 'site' }, { host: 'h', item_id: 'site', status: 'removing' })
    await add('domains', { host: 'i', item_id: 'site', user_id: 'bob' })
    await add('waiting_domains', { host: 'g', item_id: 'site' }, { host: 'j', item_id: 'site', user_id: 'bob' })
    expect(await page('', 9, 'site')).toEqual(['g', 'g100'])
    expect(await page('g', 9, 'site')).toEqual([])
  })
})

describe('sites', () => {
  const make = (id: string, userId: string, most = 9) =>
    insertSiteStatement(DB, { id, userId, name: id, createdAt: 1 }, most).run()
  const publish = (id: string, userId: string, itemId: string) =>
    DB.batch(insertSiteVersionStatements(DB, { id, userId }, { itemId, note: null, createdAt: 1 }))
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
    expect((await selectSites(DB, 'ada', undefined, 9)).map(({ id }) => id)).toEqual(['q', 'p'])
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
      (await selectSites(DB, 'ada', after, limit)).map(({ id }) => id)
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
    expect(await deleteSite(DB, 'ada', 'r')).toBe(false)
    expect(await deleteSite(DB, 'bob', 'p')).toBe(false)
    expect(await count('site_periods')).toBe(2)
    await DB.batch([
      DB.prepare("UPDATE domains SET status = 'active', asked_at = 7"),
      DB.prepare('DELETE FROM waiting_domains'),
    ])
    for (const [host, [item_id = '', user_id = '']] of Object.entries(rows))
      await add('waiting_domains', { host, item_id, user_id })
    expect(await deleteSite(DB, 'ada', 'p')).toBe(true)
    expect(await list('sites', 'id')).toEqual(['q', 'r'])
    expect([await list('site_periods', 'site_id'), await list('site_versions', 'site_id')]).toEqual([['q'], ['q']])
    expect(await read('domains', 'host', 'status || asked_at')).toEqual({ a: 'removing0', b: 'active7', c: 'active7' })
    expect(await list('waiting_domains', 'host')).toEqual(['b', 'c'])
  })
})

describe('the denylist', () => {
  const entry = (name: string, kind: 'txid' | 'cid' = 'txid') => ({
    ...{ kind, value: name, digest: name, reason: 'why', deniedBy: 'admin' },
  })
  const report = (id: string, kind: string, status: string) =>
    add('reports', { id: `${kind}-${id}`, kind, digest: id, value: id, status })

  beforeEach(() => clear('denied', 'reports'))

  it('takes a value once more with a new number, and decides the open report of it', async () => {
    await report('a', 'txid', 'open')
    await report('a', 'cid', 'open')
    await report('b', 'txid', 'open')
    await report('c', 'txid', 'dismissed')
    for (const name of ['a', 'c', 'a']) await insertDenied(DB, entry(name), 5)
    expect(await read('denied', 'digest', 'seq')).toEqual({ a: 3, c: 2 })
    expect(await read('reports', 'id', 'status')).toEqual({
      ...{ 'cid-a': 'open', 'txid-a': 'denied', 'txid-b': 'open', 'txid-c': 'dismissed' },
    })
  })

  it('lets a value go that is on it, and has the report of it dismissed', async () => {
    for (const id of ['a', 'b']) await report(id, 'txid', 'denied')
    await report('a', 'cid', 'denied')
    await report('c', 'txid', 'open')
    await DB.batch([...insertDeniedStatements(DB, entry('a'), 5), ...insertDeniedStatements(DB, entry('b'), 5)])
    await DB.batch([...insertDeniedStatements(DB, entry('a', 'cid'), 5), ...insertDeniedStatements(DB, entry('c'), 5)])
    const acts = await count('audit')
    const lifting = { by: 'admin', reason: undefined, now: 6 }
    await liftDenied(DB, entry('a'), lifting)
    await liftDenied(DB, entry('a'), lifting)
    await liftDenied(DB, entry('c'), lifting)
    expect(await count('audit')).toBe(acts + 2)
    expect(await read('denied', 'kind || digest', "lifted || ':' || seq")).toEqual({
      ...{ cida: '0:3', txida: '1:5', txidb: '0:2', txidc: '1:6' },
    })
    expect(await read('reports', 'id', 'status')).toEqual({
      ...{ 'cid-a': 'denied', 'txid-a': 'dismissed', 'txid-b': 'denied', 'txid-c': 'open' },
    })
  })

  it('is read by what changed, and by what is on it, a page at a time', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await insertDenied(DB, entry(name), 5)
    await liftDenied(DB, entry('b'), { by: 'admin', reason: undefined, now: 6 })
    expect((await selectDeniedChanges(DB, 4, 9)).changes).toEqual([{ kind: 'txid', digest: 'b', lifted: true, seq: 5 }])
    const changes = async (after: number, limit: number) => {
      const { changes, last } = await selectDeniedChanges(DB, after, limit)
      return [changes.map(({ digest, lifted }) => digest + (lifted ? ' lifted' : '')), last]
    }
    expect(await changes(1, 2)).toEqual([['c', 'd'], 5])
    expect(await changes(3, 9)).toEqual([['d', 'b lifted'], 5])
    expect((await selectDenied(DB, 4, 9)).map(({ value }) => value)).toEqual(['c', 'a'])
    expect((await selectDenied(DB, 9, 1)).map(({ value }) => value)).toEqual(['d'])
    expect((await selectDeniedValues(DB, 1, 1)).map(({ value }) => value)).toEqual(['c'])
    expect((await selectDeniedValues(DB, 0, 9)).map(({ value }) => value)).toEqual(['a', 'c', 'd'])
    await clear('denied')
    expect(await changes(0, 9)).toEqual([[], 0])
  })
})

it('a batch whose condition holds is written, and one whose condition does not is not', async () => {
  expect(await batchIf(DB, [DB.prepare('INSERT INTO assertions (holds) SELECT 1 WHERE false')])).toBe(true)
  expect(await batchIf(DB, [DB.prepare('INSERT INTO assertions (holds) SELECT 0')])).toBe(false)
  await expect(batchIf(DB, [DB.prepare("SELECT json_extract('{}', 'x')")])).rejects.toThrow('bad JSON path')
})
