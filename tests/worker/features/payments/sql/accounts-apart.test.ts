import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  assertCoveredStatement,
  hasPaid,
  insertLedgerStatement,
  selectLeft,
} from '../../../../../worker/features/payments/sql/ledger.ts'
import { selectWaitingPayments } from '../../../../../worker/features/payments/sql/payment-requests.ts'
import {
  assertSmallStatement,
  markSmallStatement,
  selectSmallDeposits,
} from '../../../../../worker/features/payments/sql/small-deposits.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, read } from '../../../rows.ts'
import { clearTables } from './clear-tables.ts'

const { DB } = env

beforeEach(async () => {
  await clearTables()
  await add('addresses', { address: 'a' }, { address: 'b', user_id: 'bob' }, { address: 'a', blockchain: 'Dogecoin' })
})

describe('the money of one account and chain', () => {
  it('is left of its own balance, without its own money off the chain and its own losses', async () => {
    await add('ledger', { blockchain: 'Dogecoin', seq: 8, amount: '1', balance: '1', cause: 'request:r' })
    await add('ledger', { blockchain: 'Dogecoin', seq: 9, amount: '7000', balance: '7001', cause: 'loss:dogs' })
    await add(
      'ledger',
      { seq: 4, amount: '-9', balance: '90', cause: 'request:r' },
      { seq: 5, amount: '10', balance: '100', cause: 'loss:x' },
      { user_id: 'bob', seq: 1, amount: '7', balance: '7', cause: 'loss:first' },
      { user_id: 'bob', seq: 3, amount: '43', balance: '50', cause: 'm' },
    )
    const off = { credited: 1 }
    await add(
      'outputs',
      { ...off, txid: 't', address: 'a', amount: '30' },
      { ...off, txid: 'u', address: 'b', amount: '5' },
      { ...off, txid: 'v', address: 'a', amount: '400', blockchain: 'Dogecoin' },
    )
    const requests = [
      { id: 'r', userId: 'ada' },
      { id: 's', userId: 'bob' },
      { id: 'n', userId: 'nobody' },
    ]
    expect(await selectLeft(DB, 'Bitcoin', requests)).toEqual(
      new Map([
        ['r', 60n],
        // Of a request that nothing was debited for, every loss counts.
        ['s', 38n],
        ['n', 0n],
      ]),
    )
    const covers = async (userId: string, left: bigint) =>
      await batchIf(DB, [assertCoveredStatement(DB, { userId, blockchain: 'Bitcoin' }, left)])
    expect([await covers('ada', 30n), await covers('ada', 29n)]).toEqual([true, false])
    expect([await covers('bob', 5n), await covers('bob', 4n), await covers('nobody', 0n)]).toEqual([true, false, true])
  })

  it('is not moved behind the end of the ledger of another account, or chain', async () => {
    const end = { seq: 1, amount: '5', balance: '5' }
    await add('ledger', { ...end, user_id: 'bob', cause: 'b' }, { ...end, blockchain: 'Dogecoin', cause: 'd' })
    const move = (userId: string, blockchain: 'Bitcoin' | 'Dogecoin') =>
      insertLedgerStatement(DB, { userId, blockchain }, { seq: 1, balance: 5n }, [{ amount: -2n, cause: 'c' }], 0)
    expect([await batchIf(DB, [move('ada', 'Bitcoin')]), await batchIf(DB, [move('bob', 'Dogecoin')])]).toEqual([
      ...[false, false],
    ])
    expect(await batchIf(DB, [move('bob', 'Bitcoin')])).toBe(true)
  })

  it('says of nobody else that they have paid before', async () => {
    await add('ledger', { user_id: 'bob', seq: 1, amount: '1', balance: '1', cause: 'b' })
    expect([await hasPaid(DB, 'bob'), await hasPaid(DB, 'ada')]).toEqual([true, false])
  })
})

it('deposits that are too small together are marked alone, and none that became balance', async () => {
  const output = { txid: 't', address: 'a' }
  await add(
    'outputs',
    output,
    { ...output, vout: 1 },
    { ...output, txid: 'u' },
    { ...output, txid: 'v', credited: 1 },
    { ...output, blockchain: 'Dogecoin' },
  )
  const marked = ['t', 'v'].map((txid) => ({ txid, vout: 0 }))
  await markSmallStatement(DB, 'Bitcoin', marked, 9n).run()
  expect(await read('outputs', "blockchain || ' ' || txid || vout", 'below')).toEqual({
    ...{ 'Bitcoin t0': 9, 'Bitcoin t1': null, 'Bitcoin u0': null, 'Bitcoin v0': null, 'Dogecoin t0': null },
  })
})

it('an item shows the request that it waits in, and none that ended', async () => {
  await add('items', { id: 'i' })
  await add('payment_requests', { id: 'old', address: 'a', state: 'expired' }, { id: 'new', address: 'b' })
  await add('payment_request_items', { request_id: 'old', item_id: 'i' })
  expect(await selectWaitingPayments(DB, ['i'])).toEqual([])
  await add('payment_request_items', { request_id: 'new', item_id: 'i', waiting: 1 })
  expect(await selectWaitingPayments(DB, ['i'])).toMatchObject([{ itemId: 'i', address: 'b' }])
})

it('small deposits count together with those of their chain that are still there', async () => {
  const rule = { height: 5, coinbaseHeight: 5, above: [], least: 10n }
  const small = { address: 'a', amount: '6', block_height: 5, below: 10 }
  await add('outputs', { ...small, txid: 't' }, { ...small, txid: 'u', dropped: 1 })
  await add('outputs', { ...small, txid: 't', blockchain: 'Dogecoin' })
  const found = await selectSmallDeposits(DB, 'Bitcoin', 'ada', { ...rule, limit: 9 })
  expect(found.map(({ txid }) => txid)).toEqual(['t'])
  const isSmall = async () => await batchIf(DB, [assertSmallStatement(DB, 'Bitcoin', 'ada', rule)])
  expect(await isSmall()).toBe(true)
  await add('outputs', { ...small, txid: 'v', amount: '4' })
  expect(await isSmall()).toBe(false)
})
