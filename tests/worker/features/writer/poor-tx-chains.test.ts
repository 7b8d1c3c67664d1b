import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { RpcCall } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { bumpTxChains } from '../../../../worker/features/writer/raise/bump-tx-chains.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear, list } from '../../rows.ts'

const SCRIPT = `0014${'ab'.repeat(20)}`
const COIN = 'c'.repeat(64)
const FREE = 'f'.repeat(64)
const PAYOUT = 'a'.repeat(64)
const BUMP = 'b'.repeat(64)

beforeEach(async () => {
  await clear(
    'failed_records',
    'transaction_inputs',
    'transactions',
    'tx_chains',
    'withdrawals',
    'signed_bundles',
    'addresses',
  )
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  const coin = { coin_txid: COIN, coin_vout: 0, coin_value: '60000', coin_script: SCRIPT }
  await add('tx_chains', { id: 1, ...coin, script: SCRIPT })
  await add('withdrawals', { id: 'w', state: 'sent', ...coin, fee_rate: '1000000' })
  const stuck = { sent_height: 50, attempts: 1, vsize: 150, fee: '200', change_value: '400' }
  await add('transactions', { ...stuck, txid: PAYOUT, withdrawal_id: 'w' })
  await add('transaction_inputs', { blockchain: 'Bitcoin', prev_txid: COIN, prev_vout: 0, txid: PAYOUT })
})

/** A step at a fee rate that the change of the tx chain can't pay; the wallet has these coins. Returns whether it signed something. */
async function bump(...free: string[]): Promise<boolean> {
  const coins = free.map((txid) => ({
    txid,
    vout: '0',
    amount: '0.00060000',
    scriptPubKey: SCRIPT,
    confirmations: '200',
  }))
  const rpc = async (calls: readonly RpcCall[]) =>
    calls.map(({ method, params = [] }) => {
      if (method === 'estimatesmartfee') return { result: { feerate: '0.00010000' } }
      if (method === 'listunspent') return { result: coins }
      // No block has spent what ours do.
      if (method === 'gettxout') return { result: { value: '0.00060000', scriptPubKey: { hex: SCRIPT } } }
      return { result: method === 'signrawtransactionwithwallet' ? { hex: params[0], complete: true } : {} }
    })
  const context = contextOf()
  return await bumpTxChains(
    { ...context, rpc },
    { height: 100, hash: '' },
    await selectUnmined(context.db, 'Bitcoin'),
    [],
  )
}
const signed = () =>
  list("transaction_inputs JOIN transactions USING (txid) WHERE state = 'signed'", 'substr(prev_txid, 1, 1)')

describe('a tx chain that has too little money to pay more', () => {
  it('never does so with a coin that a transaction of it spends', async () => {
    expect([await bump(), await signed()]).toEqual([false, []])
  })

  it('spends a free coin of the wallet as well, and the one that replaces that may spend the same', async () => {
    expect(await bump(FREE)).toBe(true)
    expect(await signed()).toEqual(['a', 'f'])
    await clear('transaction_inputs')
    const { db } = contextOf()
    await db.prepare("DELETE FROM transactions WHERE state = 'signed'").run()
    const own = { sent_height: 50, attempts: 1, vsize: 180, fee: '250', change_value: '300' }
    await add('transactions', { ...own, txid: BUMP, seq: 1 })
    const input = { blockchain: 'Bitcoin', prev_vout: 0, txid: BUMP }
    await add('transaction_inputs', { ...input, prev_txid: PAYOUT }, { ...input, prev_txid: FREE })
    expect(await bump()).toBe(true)
    expect(await signed()).toEqual(['a', 'f'])
  })

  /** Another one like it. */
  const addSecond = async (sent_height: number) => {
    const txid = 'd'.repeat(64)
    await add('tx_chains', { id: 2, coin_txid: 'other', script: SCRIPT, coin_script: SCRIPT })
    await add('withdrawals', { id: 'second', state: 'sent', fee_rate: '1000000' })
    const row = { tx_chain: 2, sent_height, attempts: 1, vsize: 150, fee: '200', change_value: '400' }
    await add('transactions', { ...row, txid, withdrawal_id: 'second' })
  }

  it('leaves each free coin to one of those that lack money: the next has another, or waits', async () => {
    await addSecond(50)
    expect([await bump(FREE), await signed()]).toEqual([true, ['a', 'f']])
    await clear('signed_bundles')
    const { db } = contextOf()
    await db.prepare("UPDATE transactions SET state = 'dead' WHERE state = 'signed'").run()
    await db.prepare(`DELETE FROM transaction_inputs WHERE prev_txid != '${COIN}'`).run()
    expect([await bump(FREE, 'e'.repeat(64)), await signed()]).toEqual([true, ['a', 'd', 'e', 'f']])
  })

  it('pays no more before six blocks have passed by what it or its last bump is', async () => {
    await addSecond(95)
    const row = { sent_height: 95, attempts: 1, vsize: 110, fee: '150', change_value: '250' }
    await add('transactions', { ...row, txid: BUMP, seq: 1 })
    expect([await bump(FREE, 'e'.repeat(64)), await signed()]).toEqual([false, []])
  })
})
