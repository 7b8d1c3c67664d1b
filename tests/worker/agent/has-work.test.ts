import { describe, expect, it } from 'vitest'
import type { Blockchain } from '../../../protocol/chains.ts'
import { hasWork } from '../../../worker/agent/has-work.ts'
import { nextPollDelay } from '../../../worker/agent/next-poll-delay.ts'
import { contextOf } from '../agent-contexts.ts'
import { add, clear, type Row } from '../rows.ts'

const NOW = 1_800_000_000_000
const HOUR = 3_600_000

async function works(blockchain: Blockchain = 'Bitcoin'): Promise<boolean> {
  return await hasWork(contextOf(blockchain, NOW))
}

/** Whether the agents of Bitcoin and of Dogecoin have work while a row is there that Bitcoin has. */
async function workWith(table: string, row: Row): Promise<[boolean, boolean]> {
  await add(table, row)
  const found: [boolean, boolean] = [await works(), await works('Dogecoin')]
  await clear(table)
  return found
}

const [BUSY, IDLE] = [
  [true, false],
  [false, false],
]

describe('a chain has work', () => {
  it.each([
    ['open', BUSY],
    ['seen', BUSY],
    ['settled', IDLE],
    ['expired', IDLE],
    ['cancelled', IDLE],
  ])('with a request that is %s: %j', async (state, expected) => {
    expect(await workWith('payment_requests', { state })).toEqual(expected)
  })

  it.each([
    [{ credited: 0, dropped: 0 }, BUSY],
    [{ credited: 1, dropped: 0 }, IDLE],
    [{ credited: 0, dropped: 1 }, IDLE],
  ])('with money that is %j: %j', async (state, expected) => {
    expect(await workWith('outputs', state)).toEqual(expected)
  })

  it.each([
    ['queued', BUSY],
    ['writing', BUSY],
    ['paused', BUSY],
    ['published', BUSY],
    ['parked', IDLE],
    ['done', IDLE],
  ])('with an item that is %s: %j', async (state, expected) => {
    await add('payment_requests', { id: 'request', state: 'settled' })
    expect(await workWith('writes', { item_id: 'i', state })).toEqual(expected)
    await clear('payment_requests')
  })

  it.each([
    ['signed', BUSY, {}],
    ['sent', BUSY, {}],
    ['mined', IDLE, { block_height: 1 }],
    ['dead', IDLE, { dead: 1 }],
  ])('with a transaction that is %s: %j', async (state, expected, rest) => {
    await add('tx_chains', { id: 1 })
    expect(await workWith('transactions', { ...rest, state })).toEqual(expected)
    await clear('tx_chains')
  })

  it.each([
    ['waiting', BUSY],
    ['sent', BUSY],
    ['confirmed', IDLE],
    ['failed', IDLE],
  ])('with a withdrawal that is %s: %j', async (state, expected) => {
    expect(await workWith('withdrawals', { state })).toEqual(expected)
  })

  it('with any failed record, and with an address of the last hour', async () => {
    expect(await workWith('failed_records', { id: 'i' })).toEqual(BUSY)
    const address = { address: 'a', state: 'retired' }
    expect(await workWith('addresses', { ...address, created_at: NOW - HOUR + 1 })).toEqual(BUSY)
    expect(await workWith('addresses', { ...address, created_at: NOW - HOUR })).toEqual(IDLE)
  })
})

it('looks twenty times between two blocks, every 0.2 to 2 seconds', () => {
  expect([0, 4_000, 4_020, 20_000, 40_000, 40_020, 3_600_000].map(nextPollDelay)).toEqual([
    ...[200, 200, 201, 1_000, 2_000, 2_000, 2_000],
  ])
})
