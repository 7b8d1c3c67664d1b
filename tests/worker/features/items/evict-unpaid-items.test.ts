import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { selectUsed } from '../../../../worker/features/auth/sql/quotas.ts'
import { createItems } from '../../../../worker/features/items/create-items.ts'
import { selectAccountHoldings, selectLargestHolders } from '../../../../worker/features/items/sql/holdings.ts'
import { ITEMS_USED } from '../../../../worker/features/items/sql/used.ts'
import { sweepItems } from '../../../../worker/features/items/sweep.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { add, addMany } from '../../rows.ts'
import { newUser } from '../payments/pay-for-items.ts'

const config = readConfig(env)
const fields = { name: 'a.txt', mimetype: 'text/plain', folder: undefined, at: '' }
let [stranger, other, newcomer] = ['', '', '']

/** What all accounts may have unpaid. */
const within = (unpaidItems: number, unpaidBytes = 1_000_000) => ({ ...config.budgets, unpaidItems, unpaidBytes })
const make = async (userId: string, count: number, now: number, budgets = within(1_000), size = 10) => {
  const requests = Array.from({ length: count }, () => ({ ...fields, blockchain: 'IPFS' as const, size }))
  return (await createItems({ ...config, db: env.DB, budgets }, userId, requests, now)).map(({ id }) => id).sort()
}
const rows = async (userId: string) => {
  const { results } = await env.DB.prepare('SELECT id FROM items WHERE user_id = ? AND removed_at IS NULL ORDER BY id')
    .bind(userId)
    .all<{ id: string }>()
  return results.map(({ id }) => id)
}
const pay = async (userId: string) =>
  await add('ledger', { user_id: userId, seq: 1, amount: '5', balance: '5', cause: `output:${userId}:0` })
const held = async (userId: string) =>
  await env.DB.prepare('SELECT items, bytes, removed_items AS removed FROM holdings WHERE user_id = ?')
    .bind(userId)
    .first()
const all = async () => {
  const { items, bytes } = (await held('')) ?? {}
  return { items, bytes }
}

beforeEach(async () => {
  await env.DB.batch(['DELETE FROM payment_request_items', 'DELETE FROM items'].map((sql) => env.DB.prepare(sql)))
  ;[stranger, other, newcomer] = [(await newUser()).userId, (await newUser()).userId, (await newUser()).userId]
})

describe('what all accounts together may have unpaid', () => {
  it('is counted as items are made, paid for, removed and deleted', async () => {
    const [paid = '', removed = '', deleted = ''] = await make(stranger, 4, 1)
    expect(await all()).toEqual({ items: 4, bytes: 40 })
    await env.DB.prepare('UPDATE items SET status = 402 WHERE id = ?').bind(paid).run()
    expect(await all()).toEqual({ items: 4, bytes: 40 })
    await env.DB.prepare('UPDATE items SET status = 202 WHERE id = ?').bind(paid).run()
    await env.DB.prepare('UPDATE items SET removed_at = 5 WHERE id = ?').bind(removed).run()
    await env.DB.prepare('DELETE FROM items WHERE id = ?').bind(deleted).run()
    expect(await all()).toEqual({ items: 1, bytes: 10 })
    expect([await held(stranger), await held('')]).toEqual(Array(2).fill({ items: 1, bytes: 10, removed: 1 }))
    await env.DB.prepare('DELETE FROM items WHERE id = ?').bind(removed).run()
    expect([await held(stranger), await held('')]).toEqual(Array(2).fill({ items: 1, bytes: 10, removed: 0 }))
    await env.DB.prepare('DELETE FROM items').run()
    expect([await held(stranger), await held('')]).toEqual([null, { items: 0, bytes: 0, removed: 0 }])
  })

  it('counts in the quota of its account until its objects are deleted, where it was removed', async () => {
    const [first = ''] = await make(stranger, 2, 1)
    await env.DB.prepare('UPDATE items SET removed_at = 5 WHERE id = ?').bind(first).run()
    const used = async () => await selectUsed(env.DB, stranger, ITEMS_USED, ['unpaidItems', 'unpaidBytes'])
    expect(await used()).toEqual({ unpaidItems: 2, unpaidBytes: 20 })
    await sweepItems(env, 6)
    expect(await used()).toEqual({ unpaidItems: 1, unpaidBytes: 10 })
  })

  it('removes nothing for who never paid while 20,000 removed items wait to be deleted', async () => {
    const theirs = await make(stranger, 10, 1)
    await env.DB.prepare(`UPDATE holdings SET removed_items = 20000 WHERE user_id = ''`).run()
    await expect(make(newcomer, 1, 3, within(10))).rejects.toMatchObject({ status: 503, code: 'database_full' })
    expect(await rows(stranger)).toEqual(theirs)
    await env.DB.prepare(`UPDATE holdings SET removed_items = 19999 WHERE user_id = ''`).run()
    expect(await make(newcomer, 1, 3, within(10))).toHaveLength(1)
    await env.DB.prepare(`UPDATE holdings SET removed_items = 0 WHERE user_id = ''`).run()
  })

  it('A55: takes the oldest of the account that holds most, where there are too many items', async () => {
    await make(stranger, 150, 1)
    const young = await make(stranger, 10, 2)
    const few = await make(other, 20, 1)
    const made = await make(newcomer, 1, 3, within(180))
    expect(await rows(newcomer)).toEqual(made)
    expect(await rows(other)).toEqual(few)
    // One that is needed, and a hundred to spare.
    expect(await rows(stranger)).toHaveLength(59)
    expect(await rows(stranger)).toEqual(expect.arrayContaining(young))
    expect(await all()).toEqual({ items: 80, bytes: 800 })
  })

  it('takes no more than is needed, where there are too many bytes', async () => {
    const [oldest, ...younger] = await make(stranger, 5, 1)
    await make(newcomer, 1, 3, within(1_000, 55))
    expect(await rows(stranger)).toEqual(younger)
    expect(oldest).toBeDefined()
  })

  it('never takes what a payment request waits for', async () => {
    const [oldest = '', second = ''] = await make(stranger, 3, 1, within(1_000), 100)
    await add('payment_requests', { id: 'request', user_id: stranger })
    await add('payment_request_items', { request_id: 'request', item_id: oldest, waiting: 1 })
    await make(newcomer, 1, 3, within(1_000, 300))
    const left = await rows(stranger)
    expect(left).toContain(oldest)
    expect(left).not.toContain(second)
  })

  it('takes of those who paid only behind all who never did', async () => {
    await pay(stranger)
    const theirs = await make(stranger, 30, 1)
    await make(other, 5, 1)
    await make(newcomer, 1, 3, within(35))
    expect(await rows(stranger)).toEqual(theirs)
    expect(await rows(other)).toEqual([])
  })

  it('is taken from ten accounts at most for one request', async () => {
    await addMany('items', 11, { user_id: "'holder' || n" })
    expect(await selectLargestHolders(env.DB, newcomer, 'items')).toHaveLength(10)
  })

  it('takes the only item of an account', async () => {
    const [theirs = ''] = await make(stranger, 1, 1, within(1_000), 100)
    expect(await rows(stranger)).toEqual([theirs])
    await make(newcomer, 1, 3, within(1_000, 100))
    expect(await rows(stranger)).toEqual([])
  })

  it('takes nothing of an account whose items are all removed, and goes on to the next', async () => {
    await pay(stranger)
    await make(stranger, 10, 1)
    await make(other, 1, 1)
    await env.DB.prepare('UPDATE items SET removed_at = 5 WHERE user_id = ?').bind(other).run()
    expect(await make(newcomer, 1, 3, within(10))).toHaveLength(1)
  })

  it('refuses the one who never paid and holds most, and takes nothing from others for him', async () => {
    await make(stranger, 10, 1)
    const theirs = await make(other, 5, 1)
    const refused = { status: 503, code: 'database_full' }
    await expect(make(stranger, 1, 3, within(15))).rejects.toMatchObject(refused)
    expect(await rows(other)).toEqual(theirs)
    expect(await rows(stranger)).toHaveLength(10)
  })

  it('takes nothing for items that the own quota of who asks refuses', async () => {
    const theirs = await make(other, 5, 1)
    await make(stranger, 1, 2)
    const asked = make(stranger, config.beforePayment.items, 3, within(6))
    await expect(asked).rejects.toMatchObject({ status: 409, code: 'quota_exceeded' })
    expect(await rows(other)).toEqual(theirs)
  })

  it('is never passed by several who never paid and ask at the same time', async () => {
    const asked = Array.from({ length: 8 }, () => make(newcomer, 3, 1, within(10)))
    const outcomes = await Promise.allSettled(asked)
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(await all()).toEqual({ items: 9, bytes: 90 })
    expect(refused).toHaveLength(5)
    for (const reason of refused) expect(reason).toMatchObject({ status: 503 })
  })

  it('never refuses who has paid, and takes nothing of his own', async () => {
    await pay(stranger)
    await make(stranger, 10, 1)
    expect(await make(stranger, 5, 3, within(10))).toHaveLength(5)
    expect(await rows(stranger)).toHaveLength(15)
  })

  it('is deleted by the sweep, many at once', async () => {
    await make(stranger, 150, 1)
    await make(newcomer, 1, 3, within(150))
    await sweepItems(env, 4)
    const kept = await env.DB.prepare('SELECT COUNT(*) AS n FROM items WHERE removed_at IS NOT NULL').first()
    expect(kept).toEqual({ n: 0 })
  })
})

it('an account that has stored nothing holds nothing', async () => {
  expect(await selectAccountHoldings(env.DB, 'nobody')).toEqual({ items: 0, bytes: 0 })
})
