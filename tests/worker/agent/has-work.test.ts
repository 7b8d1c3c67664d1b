import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { Blockchain } from '../../../protocol/chains.ts'
import { hasWork } from '../../../worker/agent/has-work.ts'
import { nextPollDelay } from '../../../worker/agent/next-poll-delay.ts'
import { contextOf } from '../agent-contexts.ts'

const NOW = 1_800_000_000_000
const HOUR = 3_600_000

async function works(blockchain: Blockchain = 'Bitcoin'): Promise<boolean> {
  return await hasWork(contextOf(blockchain, NOW))
}

/** Whether the agents of Bitcoin and of Dogecoin have work while a row is there that Bitcoin has. */
async function workWith(table: string, row: Record<string, string | number>): Promise<[boolean, boolean]> {
  const names = Object.keys(row)
  const marks = names.map(() => '?').join()
  await env.DB.prepare(`INSERT INTO ${table} (blockchain, ${names.join()}) VALUES ('Bitcoin', ${marks})`)
    .bind(...Object.values(row))
    .run()
  const found: [boolean, boolean] = [await works(), await works('Dogecoin')]
  await env.DB.prepare(`DELETE FROM ${table}`).run()
  return found
}

const [BUSY, IDLE] = [
  [true, false],
  [false, false],
]
const money = { amount: '1', fee: '1', fee_rate: '1', script: '', address: 'a', user_id: 'u' }
const request = { id: 'r', user_id: 'u', target: 'Bitcoin', item_set: '', amount: '1', created_at: 0, expires_at: 0 }

describe('a chain has work', () => {
  it.each([
    ['open', BUSY],
    ['seen', BUSY],
    ['settled', IDLE],
    ['expired', IDLE],
    ['cancelled', IDLE],
  ])('with a request that is %s: %j', async (state, expected) => {
    expect(await workWith('payment_requests', { ...request, state })).toEqual(expected)
  })

  it.each([
    [{ credited: 0, dropped: 0 }, BUSY],
    [{ credited: 1, dropped: 0 }, IDLE],
    [{ credited: 0, dropped: 1 }, IDLE],
  ])('with money that is %j: %j', async (state, expected) => {
    const output = { txid: 't', vout: 0, address: 'a', amount: '1', coinbase: 0, seen_at: 0, in_mempool: 0 }
    expect(await workWith('outputs', { ...output, ...state })).toEqual(expected)
  })

  it.each([
    ['queued', BUSY],
    ['writing', BUSY],
    ['paused', BUSY],
    ['published', BUSY],
    ['parked', IDLE],
    ['done', IDLE],
  ])('with an item that is %s: %j', async (state, expected) => {
    const settled = { ...request, blockchain: 'Bitcoin', state: 'settled' }
    const columns = Object.keys(settled)
    await env.DB.prepare(`INSERT INTO payment_requests (${columns.join()}) VALUES (${columns.map(() => '?').join()})`)
      .bind(...Object.values(settled))
      .run()
    const write = { item_id: 'i', target: 'Bitcoin', request_id: 'r', created_at: 0 }
    expect(await workWith('writes', { ...write, state })).toEqual(expected)
    await env.DB.prepare('DELETE FROM payment_requests').run()
  })

  it.each([
    ['signed', BUSY, {}],
    ['sent', BUSY, {}],
    ['mined', IDLE, { block_height: 1 }],
    ['dead', IDLE, { dead: 1 }],
  ])('with a transaction that is %s: %j', async (state, expected, rest) => {
    const txChain = { id: 1, coin_txid: 't', coin_vout: 0, coin_value: '1', coin_script: '', script: '', state: 'open' }
    const columns = Object.keys(txChain)
    await env.DB.prepare(
      `INSERT INTO lanes (blockchain, ${columns.join()}) VALUES ('Bitcoin', ${columns.map(() => '?').join()})`,
    )
      .bind(...Object.values(txChain))
      .run()
    const transaction = { txid: 't', lane: 1, seq: 0, bundle: '', offset: 0, length: 0, vsize: 0, fee: '0' }
    const change = { change_vout: 0, change_value: '0' }
    expect(await workWith('transactions', { ...transaction, ...change, ...rest, state })).toEqual(expected)
    await env.DB.prepare('DELETE FROM lanes').run()
  })

  it.each([
    ['waiting', BUSY],
    ['sent', BUSY],
    ['confirmed', IDLE],
    ['failed', IDLE],
  ])('with a withdrawal that is %s: %j', async (state, expected) => {
    expect(await workWith('withdrawals', { ...money, id: 'w', created_at: 0, state })).toEqual(expected)
  })

  it('with anything that is set aside, and with an address of the last hour', async () => {
    const aside = { kind: 'item', id: 'i', reason: '', tries: 1, since: 0, retry_at: 0 }
    expect(await workWith('set_aside', aside)).toEqual(BUSY)
    const address = { address: 'a', script: '', user_id: 'u', kind: 'deposit', state: 'retired' }
    expect(await workWith('addresses', { ...address, created_at: NOW - HOUR + 1 })).toEqual(BUSY)
    expect(await workWith('addresses', { ...address, created_at: NOW - HOUR })).toEqual(IDLE)
  })
})

it('looks twenty times between two blocks, every 0.2 to 2 seconds', () => {
  expect([0, 4_000, 4_020, 20_000, 40_000, 40_020, 3_600_000].map(nextPollDelay)).toEqual([
    ...[200, 200, 201, 1_000, 2_000, 2_000, 2_000],
  ])
})
