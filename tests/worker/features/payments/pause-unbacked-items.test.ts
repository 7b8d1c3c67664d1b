import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { pauseUnbackedItems } from '../../../../worker/features/payments/pause-unbacked-items.ts'
import { contextOf } from '../../agent-contexts.ts'
import { notedStep } from '../../noted-step.ts'
import { add, clear, list, read } from '../../rows.ts'

const NOW = 1_800_000_000_000

/** Runs the part of a step; returns how many calls it took. */
const watch = async (paymentTolerancePercent = 0): Promise<number> => {
  const found = contextOf()
  const { context, calls, twice } = notedStep({
    ...found,
    config: { ...found.config, paymentTolerancePercent },
    now: NOW,
  })
  await pauseUnbackedItems(context)
  expect(twice).toEqual([])
  return calls.length
}
const states = async () => await read('writes', 'item_id', 'state')

/** An item of ada's in writing, and the request that it was paid with. */
async function paidItem(id: string, request: { address?: string; amount: string; user_id?: string }): Promise<void> {
  await add('items', { id, status: 202 })
  if (request.address !== undefined) {
    await add('addresses', { address: request.address, script: request.address, kind: 'request' })
  }
  await add('payment_requests', { id: `request-${id}`, state: 'settled', ...request })
  await add('writes', { item_id: id, request_id: `request-${id}` })
}

const mine = async (height: number | null) =>
  await env.DB.prepare('UPDATE outputs SET block_height = ?').bind(height).run()

beforeEach(() => clear('writes', 'ledger', 'outputs', 'payment_requests', 'addresses', 'items', 'events'))

describe('an item whose money a reorganisation took away', () => {
  it('is paused, and goes on once the money is mined again, to the last base unit', async () => {
    await paidItem('one', { address: 'paid', amount: '600' })
    await add('outputs', { address: 'paid', amount: '599', credited: 1 }, { address: 'paid', amount: '1', credited: 1 })
    // A balance as large is no substitute for what paid it.
    await add('ledger', { seq: 1, amount: '600', cause: 'a', balance: '600' })
    await mine(1)
    await watch()
    expect(await states()).toEqual({ one: 'queued' })
    await env.DB.prepare("UPDATE outputs SET block_height = NULL WHERE amount = '1'").run()
    await watch()
    expect([await states(), await read('items', 'id', 'status')]).toEqual([{ one: 'paused' }, { one: 409 }])
    // In the mempool it is no more than a promise.
    await env.DB.prepare('UPDATE outputs SET in_mempool = 1').run()
    await watch()
    expect(await states()).toEqual({ one: 'paused' })
    await mine(2)
    await watch()
    expect([await states(), await read('items', 'id', 'status')]).toEqual([{ one: 'queued' }, { one: 202 }])
    expect((await list('events', 'type')).filter((type) => type === 'item.stopped')).toHaveLength(1)
  })

  it('is paused for what it was paid with, where that lacked a little, and goes on once that is back', async () => {
    await paidItem('one', { address: 'paid', amount: '600' })
    await add('outputs', { address: 'paid', amount: '594', credited: 1 })
    await add('ledger', { seq: 1, amount: '600', cause: 'a', balance: '600' })
    await mine(1)
    await watch(1)
    expect(await states()).toEqual({ one: 'queued' })
    await mine(null)
    await watch(1)
    expect(await states()).toEqual({ one: 'paused' })
    await mine(2)
    await watch(1)
    expect(await states()).toEqual({ one: 'queued' })
  })

  it('stays paused when what paid it was written off, whatever the balance', async () => {
    await paidItem('one', { address: 'paid', amount: '600' })
    await add('outputs', { address: 'paid', amount: '600', credited: 0, written_off: 1, dropped: 1 })
    await add('ledger', { seq: 1, amount: '600', cause: 'a', balance: '600' })
    await env.DB.prepare("UPDATE writes SET state = 'paused'").run()
    await watch()
    expect(await states()).toEqual({ one: 'paused' })
  })

  it('goes on when what paid it was written off, and is credited again because it was mined after all', async () => {
    await paidItem('one', { address: 'paid', amount: '600' })
    await add('outputs', { address: 'paid', amount: '600', credited: 1, written_off: 1, block_height: 1 })
    await env.DB.prepare("UPDATE writes SET state = 'paused'").run()
    await watch()
    expect(await states()).toEqual({ one: 'queued' })
  })

  it('is not paused for money on its way to an address whose request the balance paid', async () => {
    await paidItem('one', { address: 'paid', amount: '600' })
    await add('ledger', { seq: 1, amount: '600', cause: 'a', balance: '600' })
    await add('ledger', { seq: 2, amount: '-600', cause: 'request:request-one', balance: '0' })
    await add('outputs', { address: 'paid', amount: '600', in_mempool: 1 })
    await env.DB.prepare("UPDATE writes SET state = 'paused'").run()
    await watch()
    expect(await states()).toEqual({ one: 'queued' })
  })

  it('stays paused when a deposit that paid it was written off at a loss, until the balance covers that', async () => {
    await add('ledger', { seq: 1, amount: '50', cause: 'loss:before', balance: '50' })
    await paidItem('one', { amount: '600' })
    await add('ledger', { seq: 2, amount: '550', cause: 'output:a', balance: '600' })
    await add('ledger', { seq: 3, amount: '-600', cause: 'request:request-one', balance: '0' })
    await env.DB.prepare("UPDATE writes SET state = 'paused'").run()
    await watch()
    expect(await states()).toEqual({ one: 'queued' })
    await env.DB.prepare("UPDATE writes SET state = 'paused'").run()
    await add('ledger', { seq: 4, amount: '550', cause: 'loss:a', balance: '550' })
    await add('ledger', { seq: 5, amount: '-550', cause: 'write-off:a', balance: '0' })
    await watch()
    expect(await states()).toEqual({ one: 'paused' })
    await add('ledger', { seq: 6, amount: '550', cause: 'output:b', balance: '550' })
    await watch()
    expect(await states()).toEqual({ one: 'queued' })
  })

  it('goes on where the balance that paid it covers what is off the chain, and is paused where not', async () => {
    await paidItem('one', { amount: '600' })
    await add('addresses', { address: 'deposit', script: 'deposit' })
    await add('outputs', { address: 'deposit', amount: '1000', credited: 1 })
    await add('ledger', { seq: 1, amount: '1600', cause: 'a', balance: '1600' })
    await add('ledger', { seq: 2, amount: '-600', cause: 'b', balance: '1000' })
    await watch()
    expect(await states()).toEqual({ one: 'queued' })
    await add('ledger', { seq: 3, amount: '-1', cause: 'c', balance: '999' })
    await watch()
    expect(await states()).toEqual({ one: 'paused' })
  })

  it('is paused in the step that finds it out, however many others are paused', async () => {
    for (let at = 0; at < 121; at++) await paidItem(`i${at}`, { amount: `${600 + at}` })
    await add('addresses', { address: 'deposit', script: 'deposit' })
    await add('outputs', { address: 'deposit', amount: '1000', credited: 1 })
    await env.DB.prepare("UPDATE writes SET state = 'paused' WHERE item_id != 'i7'").run()
    await watch()
    expect(await states()).toMatchObject({ i7: 'paused' })
  })

  it('takes as many queries where a hundred users lost money as where one did', async () => {
    const lose = async (user: string) => {
      await paidItem(user, { amount: '600', user_id: user })
      await add('addresses', { address: `of-${user}`, script: `of-${user}`, user_id: user })
      await add('outputs', { address: `of-${user}`, amount: '1000', credited: 1 })
      await add('ledger', { user_id: user, seq: 1, amount: '999', cause: user, balance: '999' })
    }
    await lose('first')
    const calls = await watch()
    await env.DB.prepare("UPDATE writes SET state = 'queued'").run()
    for (let at = 1; at < 99; at++) await lose(`u${at}`)
    expect(await watch()).toBe(calls)
    expect(new Set(Object.values(await states()))).toEqual(new Set(['paused']))
  })

  it('is one of a hundred in a step', async () => {
    for (let at = 0; at < 101; at++) await paidItem(`i${at}`, { amount: `${600 + at}` })
    await add('addresses', { address: 'deposit', script: 'deposit' })
    await add('outputs', { address: 'deposit', amount: '1000', credited: 1 })
    await watch()
    expect(Object.values(await states()).filter((state) => state === 'paused')).toHaveLength(100)
  })
})
