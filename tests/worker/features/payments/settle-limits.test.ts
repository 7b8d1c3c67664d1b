import { env } from 'cloudflare:test'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AgentContext } from '../../../../worker/chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../../worker/chain/follower/blocks.ts'
import { pauseUnbackedItems } from '../../../../worker/features/payments/pause-unbacked-items.ts'
import { recordPayments } from '../../../../worker/features/payments/record-payments.ts'
import { settlePayments } from '../../../../worker/features/payments/settle-payments.ts'
import { contextAtTip } from '../../agent-contexts.ts'
import { askedTwice } from '../../noted-calls.ts'
import { notedStep } from '../../noted-step.ts'
import { add, addMany, clear, list, read } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

const chain = useDevnet()
const NOW = 1_800_000_000_000
const DAY = 86_400_000

let context: AgentContext
let tip: BlockPosition
beforeAll(async () => {
  ;({ context, tip } = await contextAtTip(chain, 3, NOW))
})
const MONEY = ['failed_records', 'outputs', 'ledger', 'payment_request_items', 'payment_requests', 'addresses']
const TABLES = [...MONEY, 'items', 'events']
beforeEach(() => clear(...TABLES))
afterEach(() => clear(...TABLES))

const settle = async (now = NOW, at = tip) => {
  const { context: noted, twice } = notedStep({ ...context, now })
  const isAll = await settlePayments(noted, at)
  expect(twice).toEqual([])
  return isAll
}
const countOf = async (table: string, column: string, value: unknown) =>
  (await list(table, column)).filter((one) => one === value).length

/** An address of ada's, with an output of a transaction of its name. */
async function output(name: string, row: Record<string, string | number | null>, userId = 'ada', kind = 'request') {
  await add('addresses', { address: name, script: name, user_id: userId, kind, state: 'discarded' })
  await add('outputs', { txid: name.padStart(64, '0'), address: name, ...row })
}

describe('what one step does, so that it stays below what D1 allows', () => {
  it('reads a thousand requests and moves thirty on, those first that money came to, and the others in the next', async () => {
    await output('paid', { in_mempool: 1 })
    await addMany('payment_requests', 1_000, {
      ...{ id: "printf('%04d', n)", address: "IIF(n = 1000, 'paid', NULL)", expires_at: '1' },
    })
    await add('failed_records', { kind: 'request', id: 'other', retry_at: NOW + 1 })
    await settle()
    expect(await countOf('payment_requests', 'state', 'expired')).toBe(29)
    expect((await read('payment_requests', 'id', 'state'))['1000']).toBe('seen')
    // It may be one behind the thousand; with fewer it would have been read.
    expect(await list('failed_records', 'id')).toEqual(['other'])
    await settle()
    expect(await countOf('payment_requests', 'state', 'expired')).toBe(59)
    expect(await list('failed_records', 'id')).toEqual([])
  })

  it('has twenty requests wait again that were paid in time', async () => {
    for (let at = 0; at < 21; at++) {
      await output(`late${at}`, { amount: '600', in_mempool: 1 })
      await add('items', { id: `late${at}`, status: 402 })
      await add('payment_requests', { id: `late${at}`, address: `late${at}`, amount: '600', expires_at: NOW - DAY + 1 })
    }
    await env.DB.prepare("UPDATE payment_requests SET state = 'expired'").run()
    await settle()
    expect(await countOf('payment_requests', 'state', 'seen')).toBe(20)
    await settle()
    expect(await countOf('payment_requests', 'state', 'seen')).toBe(21)
  })

  it('asks nothing twice where nothing came', async () => {
    const { context: noted, calls } = notedStep(context)
    await recordPayments(noted, tip)
    await settlePayments(noted, tip)
    await pauseUnbackedItems(noted)
    expect(askedTwice(calls)).toEqual([])
  })

  it('credits twenty users, and of them five hundred outputs, and says where more are left', async () => {
    for (let user = 0; user < 21; user++) await output(`u${user}`, { block_height: 1 }, `user${user}`)
    expect(await settle()).toBe(false)
    expect(new Set(await list('ledger', 'user_id')).size).toBe(20)
    expect(await settle()).toBe(true)
    expect(new Set(await list('ledger', 'user_id')).size).toBe(21)
    await clear('ledger', 'outputs')
    await addMany('outputs', 501, { txid: "printf('%064d', n)", address: "'u1'", block_height: '1' })
    expect(await settle()).toBe(false)
    expect(await countOf('outputs', 'credited', 1)).toBe(500)
    expect(await settle()).toBe(true)
    expect(await countOf('outputs', 'credited', 1)).toBe(501)
  })

  it('replaces twenty deposit addresses that were used, each by one', async () => {
    for (let user = 0; user < 21; user++) await output(`d${user}`, {}, `user${user}`, 'deposit')
    await env.DB.prepare("UPDATE addresses SET state = 'current'").run()
    await settle()
    expect([await countOf('addresses', 'state', 'retired'), (await list('addresses', 'state')).length]).toEqual([
      20, 41,
    ])
    await settle()
    expect([await countOf('addresses', 'state', 'retired'), (await list('addresses', 'state')).length]).toEqual([
      21, 42,
    ])
  })
})

it('money is credited two blocks deep, a reward of mining one hundred', async () => {
  const rows = { two: { block_height: 999 }, one: { block_height: 1_000 } }
  const rewards = { ripe: { coinbase: 1, block_height: 901 }, unripe: { coinbase: 1, block_height: 902 } }
  for (const [name, row] of Object.entries({ ...rows, ...rewards })) await output(name, row)
  const high = { height: 1_000, hash: 'f'.repeat(64) }
  await add('blocks', high)
  await settle(NOW, high)
  await env.DB.prepare('DELETE FROM blocks WHERE hash = ?').bind(high.hash).run()
  expect(await read('outputs', 'address', 'credited')).toEqual({ one: 0, ripe: 1, two: 1, unripe: 0 })
})

it('what was paid for an item that was removed meanwhile becomes balance', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
  await output('asked', { amount: '600', block_height: 1 })
  await add('payment_requests', { id: 'asked', address: 'asked', item_set: 'gone', amount: '600', expires_at: NOW })
  await settle()
  expect(await list('payment_requests', 'state')).toEqual(['cancelled'])
  expect([await list('ledger', 'balance'), warned.mock.calls.length]).toEqual([['600'], 1])
  warned.mockRestore()
})

describe('a request that expired', () => {
  const EXPIRED = NOW - DAY
  const state = async () => (await read('payment_requests', 'id', 'state')).asked
  beforeEach(async () => {
    await output('asked', { amount: '600', seen_at: EXPIRED })
    await add('payment_requests', { id: 'asked', address: 'asked', amount: '600', expires_at: EXPIRED })
  })

  it('waits for a day, no longer, for money that was seen in time and that the mempool has lost', async () => {
    await settle()
    expect(await state()).toBe('open')
    await settle(NOW + 1)
    expect(await state()).toBe('expired')
  })

  it('waits as long for a payment that could not be read, which may be its own', async () => {
    await clear('outputs')
    await add('failed_records', { kind: 'payment', id: 'unread', retry_at: NOW + 1 })
    await settle()
    expect(await state()).toBe('open')
    await settle(NOW + 1)
    expect(await state()).toBe('expired')
  })

  it('is not given up on the word of a node that has another best block', async () => {
    await settlePayments({ ...context, now: NOW + 1 }, { ...tip, hash: 'f'.repeat(64) })
    expect(await state()).toBe('open')
  })
})
