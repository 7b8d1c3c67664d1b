import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { selectOwnRequests, selectRequestSummaries } from '../../../../../worker/features/payments/sql/payment-list.ts'
import {
  insertRequestStatements,
  moveRequestStatements,
  type PaymentRequest,
  reopenRequestStatements,
  selectExpiredWithMoney,
  selectRequest,
  selectRequestByAddress,
  selectRequestsInDoubt,
  selectRequestsToDecide,
  selectWaitingPayments,
  selectWaitingRequest,
} from '../../../../../worker/features/payments/sql/payment-requests.ts'
import { selectPaidItem, selectPaying } from '../../../../../worker/features/payments/sql/receipts.ts'
import { selectRequestFingerprints } from '../../../../../worker/features/payments/sql/request-fingerprints.ts'
import { selectPromisedFees } from '../../../../../worker/features/transactions/sql/promises.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, addMany, list, read } from '../../../rows.ts'
import { clearTables } from './clear-tables.ts'

const { DB } = env
const STATES = ['open', 'seen', 'settled', 'expired', 'cancelled']
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

beforeEach(clearTables)

describe('requests for payment', () => {
  it('are found by the items that wait in them, each by its own', async () => {
    await add('addresses', { address: 'of a', kind: 'request' }, { address: 'of b', kind: 'request' })
    const request = { state: 'open', expires_at: 9 }
    await add('payment_requests', { id: 'a', ...request, address: 'of a', item_set: 'i,j' })
    await add('payment_requests', { id: 'b', ...request, address: 'of b', item_set: 'k' })
    await add('items', { id: 'i' }, { id: 'k' })
    const part = { waiting: 1 }
    await add(
      'payment_request_items',
      { request_id: 'a', item_id: 'i', ...part },
      { request_id: 'b', item_id: 'k', ...part },
    )
    expect(await selectWaitingPayments(DB, ['i', 'none'])).toEqual([
      { itemId: 'i', address: 'of a', items: 2, expiresAt: 9 },
    ])
  })

  it('are recorded with their items, which wait in an open one; one that is settled at once is told of', async () => {
    const open: PaymentRequest = {
      ...{ id: 'open', userId: 'ada', target: 'IPFS', blockchain: 'Bitcoin', address: undefined, itemIds: ['i', 'j'] },
      ...{ amount: 5n, feeRate: 7n, parts: { networkFee: 2n, storageFee: 3n }, state: 'open', createdAt: 1 },
      expiresAt: 9,
    }
    const settled: PaymentRequest = { ...open, id: 'settled', state: 'settled', itemIds: ['k'] }
    for (const request of [open, settled]) {
      await DB.batch(insertRequestStatements(DB, request))
      expect(await selectRequest(DB, request.id)).toEqual(request)
    }
    expect(await read('payment_request_items', 'item_id', 'waiting')).toEqual({ i: 1, j: 1, k: 0 })
    expect(await list('events', 'type || subject')).toEqual(['request.settledsettled'])
  })

  it('move on from the states that they may, and hold their items while they wait', async () => {
    await add('payment_requests', ...STATES.map((id) => ({ id, state: id })), { id: 'other' })
    await add(
      'payment_request_items',
      ...[...STATES, 'other'].map((id) => ({ request_id: id, item_id: id, waiting: 1 })),
    )
    const move = async (id: string, to: 'seen' | 'settled') => {
      const request = await selectRequest(DB, id)
      if (!request) throw new Error('It is not there.')
      return await batchIf(DB, moveRequestStatements(DB, request, ['open', 'seen'], to, 5))
    }
    expect(await move('open', 'seen')).toBe(true)
    const moved: string[] = []
    for (const id of STATES) if (await move(id, 'settled')) moved.push(id)
    expect(moved).toEqual(['open', 'seen'])
    expect(await read('payment_requests', 'id', 'state')).toEqual({
      ...{
        cancelled: 'cancelled',
        expired: 'expired',
        open: 'settled',
        other: 'open',
        seen: 'settled',
        settled: 'settled',
      },
    })
    expect(await list('payment_request_items WHERE waiting', 'item_id')).toEqual([
      'cancelled',
      'expired',
      'other',
      'settled',
    ])
    expect(await list('events', 'type')).toEqual(['request.seen', 'request.settled', 'request.settled'])
  })

  it('are found by an item that waits in them, by their id, and by their address', async () => {
    await add('addresses', { address: 'a', kind: 'request' }, { address: 'b', kind: 'request' })
    await add('payment_requests', { id: 'p', address: 'a' }, { id: 'q', address: 'b', user_id: 'bob' })
    const row = { request_id: 'p', waiting: 1 }
    await add(
      'payment_request_items',
      { ...row, item_id: 'i', waiting: 0 },
      { ...row, item_id: 'j' },
      { ...row, item_id: 'k', request_id: 'q' },
    )
    expect((await selectWaitingRequest(DB, ['i', 'k']))?.id).toBe('q')
    expect((await selectWaitingRequest(DB, ['j']))?.id).toBe('p')
    expect(await selectWaitingRequest(DB, ['i'])).toBeUndefined()
    expect((await selectRequest(DB, 'q'))?.id).toBe('q')
    expect(await selectRequest(DB, 'none')).toBeUndefined()
    expect((await selectRequestByAddress(DB, 'bob', 'b'))?.id).toBe('q')
    expect(await selectRequestByAddress(DB, 'ada', 'b')).toBeUndefined()
    expect(await selectRequestByAddress(DB, 'ada', 'none')).toBeUndefined()
  })

  it('are to be decided about that wait, and that money came to, or that have expired', async () => {
    const late = { expires_at: 9 }
    await add('addresses', ...['a', 'b', 'c', 'g'].map((address) => ({ address, kind: 'request' })), {
      address: 'c',
      blockchain: 'Dogecoin',
      kind: 'request',
    })
    await add(
      'payment_requests',
      ...STATES.map((id) => ({ id, state: id, ...late })),
      { id: 'paid', address: 'a' },
      { id: 'waits', address: 'b' },
    )
    await add(
      'payment_requests',
      { id: 'no-dog', address: 'c' },
      { id: 'x-seen', state: 'seen' },
      { id: 'dog', blockchain: 'Dogecoin', ...late },
    )
    await add('payment_requests', { id: 'y-in-time', expires_at: 10 })
    await add('outputs', { txid: 'a', address: 'a' }, { txid: 'c', address: 'c', blockchain: 'Dogecoin' })
    const decide = async (after: string, limit: number) =>
      ids(await selectRequestsToDecide(DB, 'Bitcoin', 10, { after, limit }))
    expect(await decide('', 9)).toEqual(['open', 'paid', 'seen', 'x-seen'])
    expect(await decide('open', 2)).toEqual(['paid', 'seen'])
  })

  it('that expired are looked at again for money that is not credited and came before, those of a while ago at most', async () => {
    await add('addresses', ...[...'abcdefgi'].map((address) => ({ address, kind: 'request' })))
    await add('addresses', { address: 'h', blockchain: 'Dogecoin' })
    await add('addresses', { address: 'g', blockchain: 'Dogecoin', kind: 'request' })
    const expired = { state: 'expired', expires_at: 100 }
    await add(
      'payment_requests',
      { ...expired, id: 'paid', address: 'a' },
      { ...expired, id: 'late', address: 'b' },
      { ...expired, id: 'credited', address: 'c' },
      { ...expired, id: 'dropped', address: 'd' },
      { ...expired, id: 'cancelled', address: 'e', state: 'cancelled' },
      { ...expired, id: 'long-ago', address: 'f', expires_at: 50 },
      { ...expired, id: 'unpaid', address: 'g' },
      { ...expired, id: 'dog', address: 'h', blockchain: 'Dogecoin' },
      { ...expired, id: 'dust', address: 'i', amount: '1000000' },
    )
    const seen = { seen_at: 10 }
    await add(
      'outputs',
      { ...seen, txid: 'a', address: 'a' },
      { ...seen, txid: 'a2', address: 'a', seen_at: 200 },
      { ...seen, txid: 'b', address: 'b', seen_at: 100 },
      { ...seen, txid: 'c', address: 'c', credited: 1 },
      { ...seen, txid: 'd', address: 'd', dropped: 1 },
      { ...seen, txid: 'e', address: 'e' },
      { ...seen, txid: 'f', address: 'f' },
      { ...seen, txid: 'h', address: 'h', blockchain: 'Dogecoin' },
      { ...seen, txid: 'g', address: 'g', blockchain: 'Dogecoin' },
      { ...seen, txid: 'i', address: 'i', amount: '600' },
    )
    expect(ids(await selectExpiredWithMoney(DB, 'Bitcoin', { since: 50, tolerance: 0, limit: 9 }))).toEqual(['paid'])
    expect(ids(await selectExpiredWithMoney(DB, 'Bitcoin', { since: 49, tolerance: 0, limit: 9 })).sort()).toEqual([
      'long-ago',
      'paid',
    ])
    expect(await selectExpiredWithMoney(DB, 'Bitcoin', { since: 49, tolerance: 0, limit: 1 })).toHaveLength(1)
  })

  it('that expired are looked at again where their money lacks no more than is tolerated', async () => {
    await add('addresses', { address: 'a', kind: 'request' })
    await add('payment_requests', { id: 'asked', address: 'a', amount: '1000', state: 'expired' })
    await add('outputs', { txid: 'a', address: 'a', amount: '900' })
    const found = async (tolerance: number) =>
      ids(await selectExpiredWithMoney(DB, 'Bitcoin', { since: 50, tolerance, limit: 9 }))
    expect([await found(10), await found(0)]).toEqual([['asked'], []])
  })

  it('wait again with their items once they were paid in time, where no other one waits for these', async () => {
    const row = { state: 'expired', item_set: '1,2' }
    await add('payment_requests', { ...row, id: 'first' }, { ...row, id: 'second' }, { id: 'open', item_set: '3' })
    await add(
      'payment_request_items',
      ...['first', 'second'].flatMap((request_id) => ['1', '2'].map((item_id) => ({ request_id, item_id }))),
    )
    const reopen = async (id: string) => {
      const request = await selectRequest(DB, id)
      return request ? await batchIf(DB, reopenRequestStatements(DB, request, 5)) : undefined
    }
    expect([await reopen('first'), await reopen('second'), await reopen('open')]).toEqual([true, false, false])
    expect(await read('payment_requests', 'id', 'state')).toEqual({ first: 'seen', open: 'open', second: 'expired' })
    expect(await list('payment_request_items', 'request_id || item_id || waiting')).toEqual([
      ...['first11', 'first21', 'second10', 'second20'],
    ])
  })

  it('are in doubt that are settled, whose items wait for their payment, or whose user lost money', async () => {
    const settled = { state: 'settled' }
    const names = ['paused', 'queued', 'writing', 'done', 'unbacked', 'calm', 'dog', 'mined']
    await add('payment_requests', ...names.map((id) => ({ id, ...settled, user_id: id === 'calm' ? 'bob' : 'ada' })), {
      id: 'expired',
      state: 'expired',
    })
    await add(
      'writes',
      { item_id: '1', request_id: 'paused', state: 'paused' },
      { item_id: '2', request_id: 'queued' },
      { item_id: '3', request_id: 'writing', state: 'writing' },
    )
    await add(
      'writes',
      { item_id: '4', request_id: 'done', state: 'done' },
      { item_id: '5', request_id: 'unbacked', unbacked: 1 },
      { item_id: '6', request_id: 'calm' },
    )
    await add(
      'writes',
      { item_id: '7', request_id: 'dog', blockchain: 'Dogecoin' },
      { item_id: '8', request_id: 'expired', state: 'paused' },
    )
    await add(
      'writes',
      { item_id: '9', request_id: 'unbacked', state: 'paused', unbacked: 1 },
      { item_id: '10', request_id: 'dog', blockchain: 'Dogecoin', state: 'paused' },
    )
    await add(
      'addresses',
      { address: 'a' },
      { address: 'b', user_id: 'bob' },
      { address: 'b', user_id: 'bob', blockchain: 'Dogecoin' },
    )
    const doubt = async (part: 'written' | 'paused', from?: string, limit = 9) =>
      ids(await selectRequestsInDoubt(DB, 'Bitcoin', part, { from, limit }))
    await add(
      'outputs',
      { txid: 't', address: 'a', credited: 1, block_height: 5 },
      { txid: 'u', address: 'a' },
      { txid: 'v', address: 'b', credited: 1, blockchain: 'Dogecoin' },
    )
    expect([await doubt('paused'), await doubt('written')]).toEqual([['paused'], []])
    await DB.prepare("UPDATE outputs SET block_height = NULL WHERE txid = 't'").run()
    expect([await doubt('paused'), await doubt('written')]).toEqual([['paused'], ['queued', 'writing']])
    expect([await doubt('written', 'r'), await doubt('written', 'q', 1)]).toEqual([['writing'], ['queued']])
  })

  it('were promised fees for, while they wait or are written', async () => {
    const fee = { network_fee: '3' }
    await add('payment_requests', ...STATES.map((id) => ({ id, state: id, ...fee })), { id: 'none' })
    expect(await selectPromisedFees(DB, 'Bitcoin')).toBe(6n)
    const writes = ['queued', 'writing', 'paused', 'parked', 'published', 'done']
    await add('payment_requests', ...writes.map((id) => ({ id, state: 'settled', network_fee: '100' })), {
      id: 'dog',
      blockchain: 'Dogecoin',
      network_fee: '5000',
    })
    await add(
      'payment_requests',
      { id: 'else', state: 'settled', network_fee: '7000' },
      { id: 'dogs', state: 'settled', network_fee: '9000' },
    )
    await add('writes', ...writes.map((state) => ({ item_id: state, request_id: state, state })), {
      item_id: 'else',
      request_id: 'else',
      target: 'IPFS',
    })
    await add('writes', { item_id: 'dogs', request_id: 'dogs', blockchain: 'Dogecoin' })
    expect(await selectPromisedFees(DB, 'Bitcoin')).toBe(406n)
    expect(await selectPromisedFees(DB, 'Nativecoin')).toBe(0n)
  })

  it('are listed for their user with an address, the newest first, a page at a time', async () => {
    await add('addresses', ...['a', 'b', 'c', 'd'].map((address) => ({ address, kind: 'request' })))
    await add(
      'payment_requests',
      { id: 'p', address: 'a' },
      { id: 'q', address: 'b', created_at: 1 },
      { id: 'r' },
      { id: 's', address: 'c', user_id: 'bob' },
    )
    await add('payment_requests', { id: 't', address: 'd' })
    const page = async (limit: number, after?: { createdAt: number; id: string }) =>
      ids(await selectOwnRequests(DB, { userId: 'ada', after, limit }))
    expect(await page(9)).toEqual(['q', 't', 'p'])
    expect(await page(1, { createdAt: 1, id: 'q' })).toEqual(['t'])
    expect(await page(9, { createdAt: 0, id: 't' })).toEqual(['p'])
  })

  it('say what they are for, and when they were paid', async () => {
    const items = ['a', 'b', 'c', 'd', 'e']
    await add('items', ...items.map((id) => ({ id, stored_size: 10, transactions: 2 })), {
      id: 'aa',
      removed_at: 1,
      stored_size: 99,
      transactions: 9,
    })
    await add('payment_requests', { id: 'p' }, { id: 'q' }, { id: 'dog', blockchain: 'Dogecoin' })
    await add(
      'payment_request_items',
      ...[...items.slice(0, 4), 'aa'].map((item_id) => ({ request_id: 'p', item_id })),
      { request_id: 'q', item_id: 'e' },
    )
    await add(
      'ledger',
      { seq: 1, amount: '-3', cause: 'request:p', created_at: 7 },
      { seq: 2, amount: '1', cause: 'request:dog', created_at: 8 },
    )
    await add('ledger', { seq: 1, amount: '1', cause: 'request:q', created_at: 9, blockchain: 'Dogecoin' })
    expect(await selectRequestSummaries(DB, ['p', 'q', 'dog'])).toEqual(
      new Map([
        ['p', { names: ['a', 'b', 'c'], storedSize: 40, transactions: 8, settledAt: 7, paid: 3n }],
        ['q', { names: ['e'], storedSize: 10, transactions: 2, settledAt: undefined, paid: undefined }],
        ['dog', { names: [], storedSize: 0, transactions: 0, settledAt: undefined, paid: undefined }],
      ]),
    )
  })

  it('have a mark that changes with their payment', async () => {
    await add(
      'addresses',
      ...STATES.map((address) => ({ address, kind: 'request' })),
      { address: 'x', kind: 'request' },
      { address: 'open', blockchain: 'Dogecoin', kind: 'request' },
    )
    await add(
      'payment_requests',
      ...STATES.map((id, n) => ({ id, state: id, address: id, created_at: n })),
      { id: 'bobs', user_id: 'bob', address: 'x' },
      { id: 'none' },
    )
    await add(
      'outputs',
      { txid: 'a', address: 'seen', in_mempool: 1 },
      { txid: 'b', address: 'seen', block_height: 5, credited: 1 },
      { txid: 'c', address: 'open', blockchain: 'Dogecoin' },
    )
    await add('blocks', { height: 7, hash: 'h' }, { height: 99, hash: 'd', blockchain: 'Dogecoin' })
    expect(await selectRequestFingerprints(DB, 'ada', 9)).toEqual([
      { address: 'seen', mark: 'seen 2 1 5 1 0 7' },
      { address: 'open', mark: 'open' },
    ])
    expect(await selectRequestFingerprints(DB, 'ada', 1)).toHaveLength(1)
    await add('outputs', { txid: 'e', address: 'open' })
    expect((await selectRequestFingerprints(DB, 'ada', 9))[1]?.mark).toBe('open 1 0 0 0 0 7')
  })
})

describe('receipts', () => {
  it('are of an item that was paid for, or of the directory that it is part of', async () => {
    await add(
      'items',
      { id: 'a' },
      { id: 'part', part_of: 'a' },
      { id: 'gone', removed_at: 1 },
      { id: 'bobs', user_id: 'bob' },
      { id: 'unpaid' },
    )
    await add('payment_requests', { id: 'p', state: 'settled' }, { id: 'q', state: 'settled' })
    await add(
      'writes',
      { item_id: 'a', request_id: 'p' },
      { item_id: 'gone', request_id: 'p' },
      { item_id: 'bobs', request_id: 'p' },
    )
    await add('writes', { item_id: 'other', request_id: 'q' })
    await add(
      'ledger',
      { seq: 1, amount: '-3', cause: 'request:p', created_at: 7 },
      { seq: 2, amount: '1', cause: 'request:q', created_at: 8 },
    )
    await add('ledger', { seq: 1, amount: '1', cause: 'request:p', created_at: 9, blockchain: 'Dogecoin' })
    const paid = async (id: string) => {
      const found = await selectPaidItem(DB, 'ada', id)
      return found && [found.name, found.request.id, found.paidAt]
    }
    expect(await paid('a')).toEqual(['a', 'p', 7])
    expect(await paid('part')).toEqual(['part', 'p', 7])
    // One that its owner took down was paid all the same.
    expect(await paid('gone')).toEqual(['gone', 'p', 7])
    for (const id of ['bobs', 'unpaid', 'none']) expect(await paid(id)).toBeUndefined()
  })

  it('name the transactions that paid in time', async () => {
    const row = { address: 'a', credited: 1, seen_at: 5 }
    await add(
      'outputs',
      { ...row, txid: 't' },
      { ...row, txid: 't', vout: 1, amount: '2' },
      { ...row, txid: 'late', seen_at: 6 },
      { ...row, txid: 'open', credited: 0 },
    )
    await add('outputs', { ...row, txid: 'else', address: 'b' }, { ...row, txid: 'dog', blockchain: 'Dogecoin' })
    const paying = () => selectPaying(DB, { blockchain: 'Bitcoin', address: 'a', expiresAt: 5 })
    expect(await paying()).toEqual([{ txid: 't', amount: 3n }])
    await addMany('outputs', 201, { address: "'a'", credited: '1' })
    expect(await paying()).toHaveLength(200)
  })
})
