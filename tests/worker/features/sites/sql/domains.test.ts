import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { selectDomainsOf } from '../../../../../worker/features/sites/sql/domain-lists.ts'
import {
  claimDomain,
  type Domain,
  deleteDomain,
  deleteDomainAnswer,
  deleteRemovedDomain,
  expireClaim,
  leaseDomainsToProbe,
  leaseDomainsToRemove,
  leasePendingDomains,
  selectClaimedHosts,
  selectDomain,
  selectDomainAnswer,
  updateDomainSeen,
  updateDomainStatus,
  updateDomainSteps,
  upsertDomainAnswer,
} from '../../../../../worker/features/sites/sql/domains.ts'
import {
  deleteOldWaits,
  deleteWaitingDomain,
  leaseWaitingDomains,
  selectWaitingDomain,
  updateWaitingSteps,
  upsertWaitingDomain,
} from '../../../../../worker/features/sites/sql/waiting-domains.ts'
import { add, count, list, read } from '../../../rows.ts'
import { clearTables } from './clear-tables.ts'

const { DB } = env

beforeEach(clearTables)

const claimed = (given: Partial<Domain> = {}): Domain => ({
  ...{ host: 'a', kind: 'item', id: 'item', userId: 'ada', customHostnameId: null, status: 'active', record: 'r' },
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
    const lapse = (host: string, given: Partial<Domain> = {}) => expireClaim(DB, claimed({ host, ...given }), 50)
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
    expect(hosts(await leaseDomainsToProbe(DB, 9, 5, 1))).toEqual(['b'])
    expect(hosts(await leaseDomainsToProbe(DB, 9, 5, 9))).toEqual(['a'])
    expect(await read('domains', 'host', 'looked_at')).toEqual({ a: 9, b: 9, c: 5, d: 1 })
  })

  it('is asked about in its turn while it is pending, some of each account', async () => {
    const pending = { status: 'pending' }
    await add('domains', { ...pending, host: 'a', asked_at: 3 }, { ...pending, host: 'b', asked_at: 2 })
    await add('domains', { host: 'c' }, { host: 'd', status: 'removing' }, { ...pending, host: 'e', user_id: 'bob' })
    await add('domains', { ...pending, host: 'f', user_id: 'eve' })
    expect(hosts(await leasePendingDomains(DB, ['ada', 'bob'], 1, 9))).toEqual(['b', 'e'])
    expect(await read('domains', 'host', 'asked_at')).toEqual({ a: 3, b: 9, c: 0, d: 0, e: 9, f: 0 })
    expect(hosts(await leasePendingDomains(DB, ['ada'], 5, 10))).toEqual(['a', 'b'])
  })

  it('that was given up is removed in its turn, and its host is free then', async () => {
    const removing = { status: 'removing' }
    await add(
      'domains',
      { ...removing, host: 'a', asked_at: 3 },
      { ...removing, host: 'b', asked_at: 2 },
      { host: 'c' },
    )
    expect(hosts(await leaseDomainsToRemove(DB, 9, 1))).toEqual(['b'])
    expect(hosts(await leaseDomainsToRemove(DB, 10, 9))).toEqual(['a', 'b'])
    await add('domains', { host: 'd', custom_hostname_id: 'h' }, { host: 'e', custom_hostname_id: 'h' })
    for (const host of ['a', 'c', 'd']) await deleteRemovedDomain(DB, host, host === 'd' ? 'h' : null)
    await deleteRemovedDomain(DB, 'e', 'other')
    expect(await read('domains', 'host', 'status')).toEqual({ b: 'removing', c: 'active', d: 'pending', e: 'active' })
    expect(await read('domains', 'host', 'custom_hostname_id')).toEqual({ b: null, c: null, d: null, e: 'h' })
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
    expect((await leaseWaitingDomains(DB, ['ada', 'bob'], 1, 9)).map((one) => one.userId + one.host).sort()).toEqual([
      'adab',
      'boba',
    ])
    const looked = await read('waiting_domains', 'user_id || host', 'looked_at')
    expect(looked).toEqual({ adaa: 3, adab: 9, adac: 0, boba: 9, evea: 0 })
    expect(await leaseWaitingDomains(DB, ['ada'], 5, 8)).toHaveLength(3)
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
