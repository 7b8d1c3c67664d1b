import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  insertTransactionsStatements,
  isGathering,
  type SignedTransaction,
  selectInputs,
  selectSpent,
} from '../../../../../worker/features/transactions/sql/transactions.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, list } from '../../../rows.ts'
import { prepareTables } from './prepare-tables.ts'

const { DB } = env
beforeEach(prepareTables)

/** A transaction that goes on in tx chain 1 from an output. */
function signed(txid: string, seq: number, ...spends: readonly string[]): SignedTransaction {
  return {
    ...{ txid, txChain: 1, seq, itemId: undefined, itemIndex: undefined, withdrawalId: undefined, bundle: 'b' },
    ...{ offset: 0, length: 1, vsize: 1, fee: 1n, changeVout: 0, changeValue: 1n },
    inputs: spends.map((spent) => ({ txid: spent, vout: 0 })),
  }
}
const record = (...transactions: SignedTransaction[]) =>
  batchIf(DB, insertTransactionsStatements(DB, 'Bitcoin', transactions))
const inputs = () => list('transaction_inputs', "prev_txid || ' ' || txid")

describe('a transaction that is recorded', () => {
  it('has no row for the change of the one before that is recorded with it, and one for anything else', async () => {
    expect(await record(signed('a', 0, 'coin'), signed('b', 1, 'a'), signed('c', 2, 'b', 'more'))).toBe(true)
    expect(await inputs()).toEqual(['b c', 'coin a', 'more c'])
    // Its place says what it spends.
    expect([...(await selectSpent(DB, 'Bitcoin', ['a', 'c']))]).toEqual(['a:0'])
  })

  it('is not where another spends that change', async () => {
    await add('transaction_inputs', { blockchain: 'Dogecoin', prev_txid: 'a', prev_vout: 0, txid: 'dog' })
    await add('transaction_inputs', { blockchain: 'Bitcoin', prev_txid: 'a', prev_vout: 1, txid: 'else' })
    await add('transaction_inputs', { blockchain: 'Bitcoin', prev_txid: 'p', prev_vout: 0, txid: 'none' })
    expect(await record(signed('a', 0, 'coin'), signed('b', 1, 'a'))).toBe(true)
    await add('tx_chains', { id: 2, coin_txid: 'x' })
    await add('transaction_inputs', { blockchain: 'Bitcoin', prev_txid: 'd', prev_vout: 0, txid: 'other' })
    const [d, e] = [signed('d', 0, 'w'), signed('e', 1, 'd')].map((one) => ({ ...one, txChain: 2 }))
    if (d && e) expect(await record(d, e)).toBe(false)
    expect(await list('transactions', 'txid')).toEqual(['a', 'b'])
  })

  it('is not where it spends a change that the next in the tx chain of that goes on from', async () => {
    expect(await record(signed('a', 0, 'coin'), signed('b', 1, 'a'))).toBe(true)
    await add('tx_chains', { id: 2, coin_txid: 'x' })
    expect(await record({ ...signed('thief', 0, 'a'), txChain: 2 })).toBe(false)
    expect(await record({ ...signed('other', 0, 'b'), txChain: 2 })).toBe(true)
    expect(await list('transactions', 'txid')).toEqual(['a', 'b', 'other'])
  })

  it('is not where its place is taken', async () => {
    expect(await record(signed('a', 0, 'coin'))).toBe(true)
    expect(await record(signed('b', 0, 'another'))).toBe(false)
    expect(await inputs()).toEqual(['coin a'])
  })
})

it('what a transaction spends is read of its own chain', async () => {
  const spent = { prev_txid: 'p', prev_vout: 1, txid: 't' }
  await add(
    'transaction_inputs',
    { ...spent, blockchain: 'Bitcoin' },
    { ...spent, blockchain: 'Dogecoin', prev_vout: 2 },
  )
  await add('transaction_inputs', { blockchain: 'Bitcoin', prev_txid: 'q', prev_vout: 0, txid: 'other' })
  expect(await selectInputs(DB, 'Bitcoin', ['t'])).toEqual([{ spender: 't', txid: 'p', vout: 1 }])
})

it('coins are being gathered by what begins a tx chain for nobody, lives and has no block', async () => {
  await add('tx_chains', ...[2, 3, 4, 5, 6].map((id) => ({ id, coin_txid: `of ${id}` })))
  await add(
    'transactions',
    { txid: 'item', item_id: 'i', item_index: 0 },
    { txid: 'bump', seq: 1 },
    { txid: 'payout', tx_chain: 2, withdrawal_id: 'w' },
    { txid: 'mined', tx_chain: 3, state: 'mined', block_height: 5 },
    { txid: 'dead', tx_chain: 4, state: 'dead', dead: 1 },
    { txid: 'dog', blockchain: 'Dogecoin' },
  )
  expect(await isGathering(DB, 'Bitcoin')).toBe(false)
  await add('transactions', { txid: 'gathers', tx_chain: 5 })
  expect(await isGathering(DB, 'Bitcoin')).toBe(true)
})
