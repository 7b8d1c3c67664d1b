import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { reopenTxChains } from '../../../../worker/features/writer/raise/reopen-tx-chains.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, addMany, clear, list, read } from '../../rows.ts'

const { DB } = env
const NOW = 1_800_000_000_000

beforeEach(async () => {
  await clear(
    'failed_records',
    'transaction_inputs',
    'transactions',
    'tx_chains',
    'writes',
    'payment_requests',
    'items',
  )
  await add('payment_requests', { id: 'request', state: 'settled' })
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
})

/** Tx chains that were closed before a reorganisation removed their two transactions, of an item each, from their blocks. */
async function addClosed(...ids: number[]): Promise<void> {
  for (const id of ids) {
    await add('tx_chains', { id, coin_txid: `coin ${id}`, state: 'closed' })
    await add('items', { id: `item ${id}`, status: 202 })
    await add('writes', { item_id: `item ${id}`, state: 'writing' })
    const own = { tx_chain: id, item_id: `item ${id}` }
    await add('transactions', { ...own, txid: `first ${id}`, item_index: 0 })
    await add('transactions', { ...own, txid: `end ${id}`, item_index: 1, seq: 1, change_vout: 1 })
  }
}

/** Reopens those of the tx chains 1 to 5 whose ends are unspent; returns what of the ends the node was asked for. */
async function reopen({
  gone = [] as string[],
  spent = [] as string[],
  maxTxChains = 16,
  ids = [1, 2, 3, 4, 5],
  now = NOW,
} = {}) {
  const asked: unknown[] = []
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ params = [] }) => {
      asked.push(params.join(':'))
      return { result: gone.includes(String(params[0])) ? null : {} }
    })
  const context = contextOf('Bitcoin', now)
  const config = { ...context.config, maxTxChains }
  await reopenTxChains({ ...context, config, rpc }, new Set(ids), await selectUnmined(DB, 'Bitcoin'), new Set(spent))
  return asked
}
const open = () => list("tx_chains WHERE state = 'open'", 'id')

describe('a tx chain that was closed before a reorganisation', () => {
  it('is opened again where its end is unspent, in the mempool too', async () => {
    await addClosed(1, 2)
    await add('tx_chains', { id: 3, coin_txid: 'nothing unmined', state: 'closed' })
    expect(await reopen({ ids: [1, 3] })).toEqual(['end 1:1:true'])
    expect(await open()).toEqual([1])
  })

  it('is left to the tx chain whose transaction has spent its end', async () => {
    await addClosed(1, 2)
    expect(await reopen({ spent: ['end 1:1', 'end 2:0'] })).toEqual(['end 2:1:true'])
    expect([await open(), await list('failed_records', 'id')]).toEqual([[2], []])
  })

  it('is recorded as failed where somebody else has spent its end, which its payers are told, and no others', async () => {
    await addClosed(1, 2)
    await reopen({ gone: ['end 1'] })
    expect(await open()).toEqual([2])
    expect(await read('failed_records', 'id', 'reason')).toEqual({
      1: expect.stringContaining('was spent by a transaction'),
    })
    expect(await read('items', 'id', "IFNULL(message, '')")).toEqual({
      'item 1': expect.stringContaining('Its transactions wait'),
      'item 2': '',
    })
  })

  it('is tried again only after a while where it failed', async () => {
    await addClosed(1)
    await add(
      'failed_records',
      { kind: 'tx_chain', id: '1', retry_at: NOW + 2_000 },
      { kind: 'item', id: '1', retry_at: NOW + 9 },
    )
    expect([await reopen(), await open()]).toEqual([[], []])
    await reopen({ now: NOW + 2_000 })
    expect(await open()).toEqual([1])
  })

  it('waits where as many as may be are open and have something that waits', async () => {
    await addClosed(1, 2)
    for (const id of [6, 7, 8]) await add('tx_chains', { id, coin_txid: `busy ${id}` })
    for (const id of [6, 7, 8]) await add('transactions', { txid: `busy ${id}`, tx_chain: id })
    await add('tx_chains', { id: 9, coin_txid: 'idle' })
    await reopen({ maxTxChains: 1 })
    expect(await open()).toEqual([1, 6, 7, 8, 9])
    expect(await reopen({ maxTxChains: 1 })).toEqual([])
  })

  it('is one of twenty in a step at most', async () => {
    await addMany('tx_chains', 21, { id: 'n', coin_txid: 'n', state: "'closed'" })
    await addMany('transactions', 21, { txid: 'n', tx_chain: 'n' })
    expect(await reopen({ ids: Array.from({ length: 21 }, (_, n) => n + 1) })).toHaveLength(20)
    expect(await open()).toHaveLength(20)
  })
})
