import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  insertLedgerStatement,
  selectBalances,
  selectLedgerTail,
  selectMoney,
  selectPending,
  selectSuspended,
  writeOffOf,
} from '../../../../../worker/features/payments/sql/ledger.ts'
import { selectLedgerPage } from '../../../../../worker/features/payments/sql/ledger-page.ts'
import { selectDeposits } from '../../../../../worker/features/payments/sql/payment-list.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add } from '../../../rows.ts'
import { clearTables } from './clear-tables.ts'

const { DB } = env

beforeEach(clearTables)

describe('what is written off', () => {
  it('is a loss as far as the balance lacks it, to the last base unit', () => {
    const output = { txid: 't', vout: 0, amount: 10n, writtenOff: 0 }
    expect([0n, 6n, 9n, 10n, 11n].map((balance) => writeOffOf(output, balance).loss)).toEqual([10n, 4n, 1n, 0n, 0n])
    expect([9n, 10n].map((balance) => writeOffOf(output, balance).moves.map(({ amount }) => amount))).toEqual([
      [1n, -10n],
      [-10n],
    ])
  })
})

describe('an entry of the ledger', () => {
  const append = async (tail: { seq: number; balance: bigint }) =>
    await batchIf(DB, [
      insertLedgerStatement(DB, { userId: 'ada', blockchain: 'Bitcoin' }, tail, [{ amount: -2n, cause: 'c' }], 0),
    ])

  it('is not appended behind an end that is gone, as after a restore of the database', async () => {
    await add('ledger', { seq: 1, amount: '5', balance: '5', cause: 'a' })
    expect(await append({ seq: 2, balance: 9n })).toBe(false)
    expect(await append({ seq: 1, balance: 9n })).toBe(false)
    expect(await append({ seq: 2, balance: 5n })).toBe(false)
    expect(await selectLedgerTail(DB, 'ada', 'Bitcoin')).toEqual({ seq: 1, balance: 5n })
    expect(await append({ seq: 1, balance: 5n })).toBe(true)
    expect(await selectLedgerTail(DB, 'ada', 'Bitcoin')).toEqual({ seq: 2, balance: 3n })
  })
})

describe('a balance', () => {
  it('is where the ledger ends, without what the chain has taken back', async () => {
    await add(
      'ledger',
      { seq: 1, amount: '5', balance: '5', cause: 'a' },
      { seq: 2, amount: '4', balance: '9', cause: 'b' },
    )
    await add(
      'ledger',
      { seq: 3, amount: '1', balance: '70', cause: 'c', user_id: 'bob' },
      { seq: 3, amount: '1', balance: '1', cause: 'd', blockchain: 'Dogecoin' },
    )
    expect(await selectLedgerTail(DB, 'ada', 'Bitcoin')).toEqual({ seq: 2, balance: 9n })
    expect(await selectLedgerTail(DB, 'ada', 'Nativecoin')).toEqual({ seq: 0, balance: 0n })
    await add(
      'addresses',
      { address: 'a' },
      { address: 'b', user_id: 'bob' },
      { address: 'a', blockchain: 'Dogecoin', user_id: 'bob' },
    )
    const taken = { credited: 1, amount: '2' }
    await add('outputs', { ...taken, txid: 't', address: 'a' }, { ...taken, txid: 'u', address: 'a', block_height: 1 })
    await add(
      'outputs',
      { ...taken, txid: 'v', address: 'a', credited: 0 },
      { ...taken, txid: 'w', address: 'b', amount: '40' },
    )
    // In the mempool it is not on the chain either.
    await add('outputs', { ...taken, txid: 'x', address: 'a', blockchain: 'Dogecoin', amount: '8', in_mempool: 1 })
    expect(await selectSuspended(DB, 'ada', 'Bitcoin')).toBe(2n)
    expect(await selectSuspended(DB, 'bob', 'Dogecoin')).toBe(8n)
    expect(await selectMoney(DB, 'ada')).toEqual({
      ...{ Bitcoin: { spendable: 7n, suspended: 2n }, Dogecoin: { spendable: 1n, suspended: 0n } },
      Nativecoin: { spendable: 0n, suspended: 0n },
    })
    expect(await selectBalances(DB, 'bob')).toEqual({ Bitcoin: 30n, Dogecoin: 0n, Nativecoin: 0n })
  })

  it('waits for what is seen and not credited yet', async () => {
    await add(
      'addresses',
      { address: 'a' },
      { address: 'b', user_id: 'bob' },
      { address: 'a', blockchain: 'Dogecoin', user_id: 'bob' },
    )
    const seen = { address: 'a', in_mempool: 1, amount: '2' }
    await add(
      'outputs',
      { ...seen, txid: 't' },
      { ...seen, txid: 'u', in_mempool: 0, block_height: 5, amount: '3' },
      { ...seen, txid: 'v', in_mempool: 0 },
    )
    await add(
      'outputs',
      { ...seen, txid: 'w', credited: 1 },
      { ...seen, txid: 'x', dropped: 1 },
      { ...seen, txid: 'y', address: 'b', amount: '40' },
    )
    await add('outputs', { ...seen, txid: 'z', blockchain: 'Dogecoin', amount: '7' })
    expect(await selectPending(DB, 'ada')).toEqual({ Bitcoin: 5n, Dogecoin: 0n, Nativecoin: 0n })
    expect(await selectPending(DB, 'bob')).toEqual({ Bitcoin: 40n, Dogecoin: 7n, Nativecoin: 0n })
  })
})

describe('deposits', () => {
  it('are addresses of a user that money came to, the newest first, a page at a time', async () => {
    const old = { state: 'discarded' }
    await add(
      'addresses',
      ...['a', 'b', 'c', 'd'].map((address, n) => ({ ...old, address, created_at: n === 1 ? 5 : 0 })),
      { ...old, address: 'r', kind: 'request' },
    )
    await add(
      'addresses',
      { ...old, address: 'x', user_id: 'bob' },
      { ...old, address: 'd', blockchain: 'Dogecoin', kind: 'request' },
    )
    await add('outputs', ...['a', 'b', 'c', 'r', 'x'].map((address) => ({ txid: address, address })), {
      txid: 'd',
      address: 'd',
      blockchain: 'Dogecoin',
    })
    const page = async (limit: number, after?: { createdAt: number; id: string }) =>
      (await selectDeposits(DB, { userId: 'ada', after, limit })).map(({ address }) => address)
    expect(await page(9)).toEqual(['b', 'c', 'a'])
    expect(await page(1, { createdAt: 5, id: 'b' })).toEqual(['c'])
    expect(await page(9, { createdAt: 0, id: 'c' })).toEqual(['a'])
  })
})

describe('the ledger', () => {
  const page = async (before: number, limit: number) =>
    (await selectLedgerPage(DB, { userId: 'ada', before, limit })).map(
      ({ kind, subject, change }) => `${kind} ${subject} ${change}`,
    )
  const at = (n: number) => String(n).repeat(64)

  it('says what moved money, the latest first, a page at a time', async () => {
    await add(
      'addresses',
      ...['dep', 'req', 'exp', 'can'].map((address, n) => ({ address, kind: n ? 'request' : 'deposit' })),
    )
    await add('addresses', { address: 'dep', blockchain: 'Dogecoin', kind: 'request' })
    await add('items', ...['m', 'l', 'k', 'j', 'i', 'a'].map((id) => ({ id })))
    await add(
      'payment_requests',
      { id: 'p', address: 'req', state: 'settled', expires_at: 10 },
      { id: 'e', address: 'exp', state: 'expired', expires_at: 10 },
    )
    await add(
      'payment_requests',
      { id: 'c', address: 'can', state: 'cancelled', expires_at: 10 },
      { id: 'd', address: 'dep', blockchain: 'Dogecoin', expires_at: -1 },
    )
    await add('payment_request_items', ...['i', 'j', 'k', 'l'].map((item_id) => ({ request_id: 'p', item_id })), {
      request_id: 'e',
      item_id: 'a',
    })
    await add('withdrawals', { id: 'x', address: 'else' }, { id: 'w', address: 'out' })
    const seen = { seen_at: 10 }
    await add(
      'outputs',
      { ...seen, txid: at(1), address: 'dep' },
      { ...seen, txid: at(2), address: 'req', vout: 12 },
      { ...seen, txid: at(3), address: 'req' },
    )
    await add(
      'outputs',
      { ...seen, txid: at(4), address: 'req', seen_at: 11 },
      { ...seen, txid: at(5), address: 'exp' },
      { ...seen, txid: at(6), address: 'can' },
    )
    await add(
      'outputs',
      { ...seen, txid: at(1), address: 'dep', blockchain: 'Dogecoin' },
      { ...seen, txid: at(2), address: 'dep' },
    )
    const causes = [
      ...[
        `output:${at(1)}:0`,
        `output:${at(2)}:12`,
        'request:p',
        `output:${at(3)}:0`,
        `output:${at(4)}:0`,
        `output:${at(5)}:0`,
      ],
      ...[`output:${at(6)}:0`, 'withdrawal:w', 'withdrawal-fee:w', 'refund:w', 'manual:x', 'withdrawal-refund:w'],
    ]
    await add('ledger', { user_id: 'bob', seq: 1, amount: '1', cause: 'request:other' })
    await add('ledger', { user_id: 'bob', seq: 1, amount: '1', cause: 'request:p', blockchain: 'Dogecoin' })
    for (const [n, cause] of causes.entries()) await add('ledger', { seq: n + 1, amount: String(n), cause })
    const expected = [
      ...[
        'refund out 11',
        'manual null 10',
        'refund null 9',
        'fee out 8',
        'withdrawal out 7',
        'late can 6',
        'late exp 5',
        'late req 4',
        'excess req 3',
      ],
      ...['payment i, j, k 2', 'deposit req 1', 'deposit dep 0'],
    ]
    expect(await page(Number.MAX_SAFE_INTEGER, 99)).toEqual(expected)
    const [, second] = await selectLedgerPage(DB, { userId: 'ada', before: Number.MAX_SAFE_INTEGER, limit: 2 })
    expect(await page(second?.place ?? 0, 2)).toEqual(expected.slice(2, 4))
  })

  it.each<[number, string]>([
    [3, 'a, b, c'],
    [4, 'a, b, c and 1 more'],
    [5, 'a, b, c and 2 more'],
  ])('names three items of what paid for %d, and says how many more there are', async (count, named) => {
    const ids = ['a', 'b', 'c', 'd', 'e'].slice(0, count)
    await add('items', ...ids.map((id) => ({ id })))
    await add('payment_requests', { id: 'p', item_set: ids.map((id) => id.repeat(24)).join() })
    await add('payment_request_items', ...ids.map((item_id) => ({ request_id: 'p', item_id })))
    await add('ledger', { seq: 1, amount: '-1', balance: '0', cause: 'request:p' })
    expect(await page(9, 9)).toEqual([`payment ${named} -1`])
  })
})
