import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { writeItems } from '../../../../worker/features/writer/write-items.ts'
import { beforeBatch } from '../../before-batch.ts'
import { add, clear, list, type Row, read } from '../../rows.ts'
import { node, sign, states, TIP } from './sending.ts'

const { DB } = env
beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  await clear(
    'failed_records',
    'stops',
    'transaction_inputs',
    'transactions',
    'tx_chains',
    'writes',
    'payment_requests',
  )
  await clear('withdrawals', 'items', 'blocks')
  await add('blocks', TIP)
  // So low a quote that nothing is made anew in these steps.
  await add('payment_requests', { id: 'request', state: 'settled', fee_rate: '1' })
  await add('items', { id: 'stopped', status: 409 }, { id: 'other', status: 202 })
  const cut = { data_bytes: 1, transactions: 1, next_index: 1 }
  await add('writes', { item_id: 'stopped', state: 'paused', ...cut }, { item_id: 'other', state: 'writing', ...cut })
  await add('tx_chains', { id: 1 }, { id: 2, coin_txid: 'second' })
})

/** A step; `meanwhile` is what another does before this one gives anything up. Returns what the node was sent. */
async function step(meanwhile = async () => {}): Promise<string[]> {
  const none = { result: {} }
  const fees = { estimatesmartfee: none, getmempoolinfo: none, getnetworkinfo: none }
  const { context, sent } = node({ ...fees, listlockunspent: { result: [] }, lockunspent: { result: true } })
  await writeItems({ ...context, db: beforeBatch(DB, meanwhile, 2) }, TIP, { knowsSends: true })
  return sent.flat()
}
const STOPPED: Row = { item_id: 'stopped', item_index: 0 }
const BEHIND: Row = { item_id: 'other', item_index: 0, seq: 1 }

describe('what was signed for an item that is stopped', () => {
  it('is given up where it was never sent, with what stands behind it, and made again later', async () => {
    await sign('held', STOPPED)
    await sign('behind', BEHIND)
    await sign('bump', { item_index: null, tx_chain: 2, seq: 1 })
    expect(await step()).toEqual(['bump'])
    expect(await states()).toEqual({ behind: 'dead', bump: 'sent', held: 'dead' })
    expect(await read('writes', 'item_id', 'next_index')).toEqual({ other: 0, stopped: 0 })
  })

  it('is sent again where a node may have it', async () => {
    await sign('begun', { ...STOPPED, attempts: 1 })
    expect(await step()).toEqual(['begun'])
  })

  it('is left as it is where another step has begun to send it, as once it goes on', async () => {
    await sign('held', STOPPED)
    await sign('behind', BEHIND)
    const begin = async () => {
      await DB.prepare("UPDATE transactions SET attempts = 1 WHERE txid = 'held'").run()
    }
    await step(begin)
    expect(await states()).toEqual({ behind: 'signed', held: 'signed' })
    expect(await list('transactions', 'attempts')).toEqual([0, 1])
  })
})

it('what the node does not take is not sent again before the next block', async () => {
  await sign('a', { item_id: 'other', item_index: 0 })
  await DB.prepare(`UPDATE transactions SET checked_height = ${TIP.height}`).run()
  expect(await step()).toEqual([])
  await DB.prepare(`UPDATE transactions SET checked_height = ${TIP.height - 1}`).run()
  expect(await step()).toEqual(['a'])
})
