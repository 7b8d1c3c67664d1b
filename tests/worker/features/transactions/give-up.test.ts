import { env } from 'cloudflare:test'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { giveUpUnsent } from '../../../../worker/features/transactions/sign/give-up.ts'
import { batchIf } from '../../../../worker/platform/d1/guarded-batch.ts'
import { add, clear, list, read } from '../../rows.ts'

const TABLES = ['transactions', 'tx_chains', 'withdrawals']
beforeEach(() => clear(...TABLES))
afterEach(() => clear(...TABLES))

it('what was signed for a withdrawal is not given up where another step has begun to send it meanwhile', async () => {
  await add('tx_chains', { id: 1 })
  await add('withdrawals', { id: 'w' })
  await add('transactions', { txid: 'payout', withdrawal_id: 'w', state: 'signed' })
  const statements = await giveUpUnsent(env.DB, 'Bitcoin', 'w')
  await env.DB.prepare('UPDATE transactions SET attempts = 1').run()
  expect(await batchIf(env.DB, statements)).toBe(false)
  expect(await list('transactions', 'state')).toEqual(['signed'])
})

it('what was signed for a withdrawal is given up with what stands on it, and nothing of another', async () => {
  await add(
    'tx_chains',
    { id: 1 },
    { id: 2, coin_txid: 'b' },
    { id: 3, coin_txid: 'c' },
    { id: 4, coin_txid: 'behind' },
  )
  await add('withdrawals', { id: 'w' }, { id: 'other' })
  const signed = { state: 'signed', withdrawal_id: 'w' }
  await add(
    'transactions',
    { ...signed, txid: 'before', withdrawal_id: null },
    { ...signed, txid: 'payout', seq: 1 },
    { ...signed, txid: 'behind', withdrawal_id: null, seq: 2 },
    { ...signed, txid: 'other', withdrawal_id: 'other', tx_chain: 2 },
    { txid: 'sent', item_id: 'i', item_index: 0, tx_chain: 3, seq: 1, attempts: 1 },
  )
  expect(await batchIf(env.DB, await giveUpUnsent(env.DB, 'Bitcoin', 'w'))).toBe(true)
  expect(await read('transactions', 'txid', 'state')).toEqual({
    ...{ before: 'signed', payout: 'dead', behind: 'dead', other: 'signed', sent: 'sent' },
  })
  expect(await read('tx_chains', 'id', 'state')).toEqual({ 1: 'closed', 2: 'open', 3: 'open', 4: 'closed' })
})

it('what a node may have of a withdrawal is not given up', async () => {
  await add('tx_chains', { id: 1 })
  await add('withdrawals', { id: 'w' })
  await add('transactions', { txid: 'payout', withdrawal_id: 'w', state: 'signed', attempts: 1 })
  expect(await giveUpUnsent(env.DB, 'Bitcoin', 'w')).toEqual([])
})
