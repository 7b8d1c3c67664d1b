import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { batchIf } from '../../../worker/storage/guarded-batch.ts'
import {
  assertFewDepositAddressesStatement,
  assertUnusedAddressesStatement,
  discardDepositAddressStatement,
  retireAddressStatement,
  selectAddresses,
  selectAddressesByScript,
  selectDepositAddressCount,
  selectDepositAddresses,
  selectOutermostAddresses,
  selectOwnDepositAddress,
  selectUsedDepositAddresses,
} from '../../../worker/storage/payments/addresses.ts'
import {
  selectBalances,
  selectLedgerTail,
  selectMoney,
  selectPending,
  selectSuspended,
} from '../../../worker/storage/payments/ledger.ts'
import { selectLedgerPage } from '../../../worker/storage/payments/ledger-page.ts'
import {
  assertNoMoneyStatement,
  dropOutputsStatement,
  markCreditedStatement,
  selectCreditable,
  selectOutputsByAddress,
  selectPlaces,
  selectUnminedTxids,
  unmineOutputsAboveStatement,
  updateInMempoolStatement,
  upsertOutputsStatements,
} from '../../../worker/storage/payments/outputs.ts'
import {
  selectDeposits,
  selectOwnRequests,
  selectRequestSummaries,
} from '../../../worker/storage/payments/payment-list.ts'
import {
  insertRequestStatements,
  moveRequestStatements,
  type PaymentRequest,
  reopenRequestStatements,
  selectExpiredWithMoney,
  selectPromisedFees,
  selectRequest,
  selectRequestByAddress,
  selectRequestsInDoubt,
  selectRequestsToDecide,
  selectWaitingRequest,
} from '../../../worker/storage/payments/payment-requests.ts'
import { selectPaidItem, selectPaying } from '../../../worker/storage/payments/receipts.ts'
import { selectRequestMarks } from '../../../worker/storage/payments/request-marks.ts'
import { faultyEnv } from '../faulty-env.ts'
import { add, addMany, clear, list, read } from './rows.ts'

const { DB } = env
const STATES = ['open', 'seen', 'settled', 'expired', 'cancelled']
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

beforeEach(async () => {
  await clear(
    'events',
    'payment_request_items',
    'writes',
    'payment_requests',
    'outputs',
    'ledger',
    'addresses',
    'blocks',
  )
  await clear('set_aside', 'withdrawals', 'items')
})

describe('addresses', () => {
  const states = () => read('addresses', 'blockchain || address', 'state')

  it('to deposit at are discarded for another, and retired when money came', async () => {
    await add('addresses', { address: 'a' }, { address: 'b', kind: 'request' }, { address: 'c', user_id: 'bob' })
    await add('addresses', { address: 'd', state: 'retired' }, { address: 'a', blockchain: 'Dogecoin' })
    await discardDepositAddressStatement(DB, 'ada', 'Bitcoin').run()
    const left = { Bitcoinb: 'current', Bitcoinc: 'current', Bitcoind: 'retired', Dogecoina: 'current' }
    expect(await states()).toEqual({ ...left, Bitcoina: 'discarded' })
    for (const address of ['a', 'c']) await retireAddressStatement(DB, 'Bitcoin', address).run()
    expect(await states()).toEqual({ ...left, Bitcoina: 'discarded', Bitcoinc: 'retired' })
  })

  it('to deposit at are counted that were asked for lately', async () => {
    const old = { state: 'discarded' }
    await add(
      'addresses',
      { ...old, address: 'a', created_at: 6 },
      { ...old, address: 'b', created_at: 5 },
      { ...old, address: 'c', created_at: 7 },
    )
    await add(
      'addresses',
      { ...old, address: 'd', created_at: 9, kind: 'request' },
      { ...old, address: 'e', created_at: 9, user_id: 'bob' },
    )
    await add('addresses', { ...old, address: 'f', created_at: 9, replaces: 'a' })
    expect(await selectDepositAddressCount(DB, 'ada', 5)).toBe(2)
    expect(await batchIf(DB, [assertFewDepositAddressesStatement(DB, 'ada', 5, 2)])).toBe(false)
    expect(await batchIf(DB, [assertFewDepositAddressesStatement(DB, 'ada', 5, 3)])).toBe(true)
    expect(await batchIf(DB, [assertUnusedAddressesStatement(DB, 'ada', 3)])).toBe(false)
    expect(await batchIf(DB, [assertUnusedAddressesStatement(DB, 'ada', 4)])).toBe(true)
  })

  it('are found by their user, by themselves and by their script, on their chain', async () => {
    await add(
      'addresses',
      { address: 'a', script: 's', created_at: 5 },
      { address: 'b', kind: 'request', script: 't', created_at: 1 },
    )
    await add(
      'addresses',
      { address: 'c', user_id: 'bob', script: 's', created_at: 9 },
      { address: 'd', state: 'discarded', script: 'x', created_at: 3 },
    )
    await add(
      'addresses',
      { address: 'e', blockchain: 'Dogecoin', script: 's', created_at: 99 },
      { address: 'f', blockchain: 'Dogecoin', state: 'retired', created_at: -9 },
    )
    expect(await selectDepositAddresses(DB, 'ada')).toEqual({ Bitcoin: 'a', Dogecoin: 'e' })
    expect((await selectOwnDepositAddress(DB, 'ada', 'd'))?.createdAt).toBe(3)
    for (const address of ['b', 'c', 'none']) expect(await selectOwnDepositAddress(DB, 'ada', address)).toBeUndefined()
    expect(await selectOutermostAddresses(DB, 'Bitcoin')).toEqual(['b', 'c'])
    expect(await selectOutermostAddresses(DB, 'Nativecoin')).toEqual([])
    expect((await selectAddresses(DB, 'Bitcoin', ['a', 'b', 'e'])).map(({ address }) => address).sort()).toEqual([
      'a',
      'b',
    ])
    expect((await selectAddressesByScript(DB, 'Bitcoin', ['s', 'y'])).map(({ address }) => address).sort()).toEqual([
      'a',
      'c',
    ])
  })

  it('to deposit at that are used are those that money is on its way to', async () => {
    const users = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    await add('addresses', ...users.map((address) => ({ address, user_id: address })))
    await add(
      'addresses',
      { address: 'r', kind: 'request' },
      { address: 'x', state: 'discarded' },
      { address: 'e', blockchain: 'Dogecoin' },
    )
    await add(
      'outputs',
      { address: 'a', txid: 'a' },
      { address: 'b', txid: 'b', credited: 1 },
      { address: 'c', txid: 'c', dropped: 1 },
    )
    await add(
      'outputs',
      { address: 'd', txid: 'd', blockchain: 'Dogecoin' },
      { address: 'r', txid: 'r' },
      { address: 'x', txid: 'x' },
    )
    await add(
      'set_aside',
      { id: 'f', kind: 'address' },
      { id: 'g', kind: 'request' },
      { id: 'h', kind: 'address', blockchain: 'Dogecoin' },
    )
    await add('outputs', { address: 'e', txid: 'e' })
    const used = async (limit: number) =>
      (await selectUsedDepositAddresses(DB, 'Bitcoin', limit)).map((one) => one.blockchain + one.address).sort()
    expect(await used(9)).toEqual(['Bitcoina', 'Bitcoine', 'Bitcoinf'])
    expect(await used(1)).toHaveLength(1)
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
    await add('outputs', { ...taken, txid: 'x', address: 'a', blockchain: 'Dogecoin', amount: '8' })
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

describe('outputs', () => {
  const output = (txid: string, given: Record<string, unknown> = {}) => ({
    ...{
      txid,
      vout: 0,
      address: 'a',
      amount: 1n,
      coinbase: false,
      seenAt: 0,
      inMempool: true,
      blockHash: undefined,
      blockHeight: undefined,
    },
    ...given,
  })

  it('take the place that the chain gives them now, in a block that is followed', async () => {
    await add(
      'blocks',
      { height: 5, hash: 'h' },
      { height: 6, hash: 'i' },
      { height: 5, hash: 'd', blockchain: 'Dogecoin' },
      { height: 3, hash: 'c', blockchain: 'Dogecoin' },
    )
    await add(
      'outputs',
      { txid: 'back', address: 'a', dropped: 1, gone_at: 3 },
      { txid: 'stays', address: 'a', dropped: 1, gone_at: 3 },
    )
    const mined = { inMempool: false }
    await DB.batch(
      upsertOutputsStatements(DB, 'Bitcoin', [
        ...[output('seen'), output('mined', { ...mined, blockHash: 'h', blockHeight: 5 })],
        ...[
          output('other', { ...mined, blockHash: 'd', blockHeight: 5 }),
          output('moved', { ...mined, blockHash: 'h', blockHeight: 6 }),
        ],
        ...[output('back', { inMempool: true }), output('stays', mined)],
        output('old', { ...mined, blockHash: 'g', blockHeight: 4 }),
      ]),
    )
    expect(
      await read(
        'outputs',
        'txid',
        "IFNULL(block_hash || block_height, '') || in_mempool || dropped || IFNULL(gone_at, '')",
      ),
    ).toEqual({
      ...{ back: '10', mined: 'h500', moved: '00', old: 'g400', other: '00', seen: '10', stays: '013' },
    })
    await DB.batch(
      upsertOutputsStatements(DB, 'Bitcoin', [output('stays', { ...mined, blockHash: 'i', blockHeight: 6 })]),
    )
    expect(await read('outputs', 'txid', "block_hash || block_height || dropped || IFNULL(gone_at, '')")).toMatchObject(
      { stays: 'i60' },
    )
  })

  it('are read as they were recorded, and whether they were credited', async () => {
    const recorded = [output('a'), output('b', { coinbase: true, inMempool: false })]
    await DB.batch(upsertOutputsStatements(DB, 'Bitcoin', recorded))
    await markCreditedStatement(DB, 'Bitcoin', [{ txid: 'b', vout: 0 }]).run()
    const found = await selectOutputsByAddress(DB, 'Bitcoin', ['a'])
    expect(found.sort((a, b) => a.txid.localeCompare(b.txid))).toEqual(
      recorded.map((one) => ({ ...one, credited: one.txid === 'b' })),
    )
  })

  it('note since when the mempool has them no more', async () => {
    await add('outputs', ...['a', 'b', 'c'].map((txid) => ({ txid, in_mempool: 1 })), {
      txid: 'mined',
      in_mempool: 1,
      block_height: 5,
    })
    await add(
      'outputs',
      { txid: 'dropped', in_mempool: 1, dropped: 1 },
      { txid: 'a', blockchain: 'Dogecoin', in_mempool: 1 },
    )
    const all = ['a', 'b', 'mined', 'dropped']
    const seen = () => read('outputs', 'blockchain || txid', "in_mempool || IFNULL(gone_at, '')")
    const rest = { Bitcoinc: '1', Bitcoindropped: '1', Bitcoinmined: '1', Dogecoina: '1' }
    expect((await updateInMempoolStatement(DB, 'Bitcoin', all, true, 6).run()).meta.changes).toBe(0)
    await updateInMempoolStatement(DB, 'Bitcoin', all, false, 7).run()
    expect(await seen()).toEqual({ ...rest, Bitcoina: '07', Bitcoinb: '07' })
    expect((await updateInMempoolStatement(DB, 'Bitcoin', all, false, 8).run()).meta.changes).toBe(0)
    await DB.prepare("UPDATE outputs SET gone_at = NULL WHERE txid = 'b' AND in_mempool = 0").run()
    await updateInMempoolStatement(DB, 'Bitcoin', all, false, 9).run()
    expect(await seen()).toEqual({ ...rest, Bitcoina: '07', Bitcoinb: '09' })
    await updateInMempoolStatement(DB, 'Bitcoin', ['a'], true, 10).run()
    expect(await seen()).toEqual({ ...rest, Bitcoina: '1', Bitcoinb: '09' })
    await DB.prepare("UPDATE outputs SET gone_at = 3 WHERE txid = 'a'").run()
    await updateInMempoolStatement(DB, 'Bitcoin', ['a'], true, 10).run()
    expect(await seen()).toMatchObject({ Bitcoina: '1', Dogecoina: '13' })
  })

  it('are given up that were never credited, when spent otherwise or gone for a fortnight', async () => {
    const now = 14 * 86_400_000 + 10
    const gone = { gone_at: 9, in_mempool: 1 }
    await add(
      'outputs',
      { ...gone, txid: 'gone' },
      { ...gone, txid: 'lately', gone_at: 10 },
      { ...gone, txid: 'conflicted', gone_at: 99 },
    )
    await add(
      'outputs',
      { ...gone, txid: 'mined', block_height: 5 },
      { ...gone, txid: 'credited', credited: 1 },
      { ...gone, txid: 'other' },
    )
    await add('outputs', { ...gone, txid: 'gone', blockchain: 'Dogecoin' }, { ...gone, txid: 'dropped', dropped: 1 })
    const txids = ['gone', 'lately', 'conflicted', 'mined', 'credited', 'dropped']
    expect((await dropOutputsStatement(DB, 'Bitcoin', txids, ['conflicted'], now).run()).meta.changes).toBe(2)
    expect(await list('outputs WHERE dropped = 1 AND NOT in_mempool', 'blockchain || txid')).toEqual([
      'Bitcoinconflicted',
      'Bitcoingone',
    ])
  })

  it('leave the chain with their block, and are credited by their names', async () => {
    const row = { block_hash: 'h', block_height: 6 }
    await add(
      'outputs',
      { ...row, txid: 'a' },
      { ...row, txid: 'b', block_height: 5 },
      { ...row, txid: 'a', blockchain: 'Dogecoin' },
    )
    await add('outputs', { ...row, txid: 'a', vout: 1 }, { ...row, txid: 'a', vout: 1, blockchain: 'Dogecoin' })
    await unmineOutputsAboveStatement(DB, 'Bitcoin', 5).run()
    expect(await read('outputs', 'blockchain || txid || vout', "IFNULL(block_hash || block_height, '')")).toEqual({
      ...{ Bitcoina0: '', Bitcoina1: '', Bitcoinb0: 'h5', Dogecoina0: 'h6', Dogecoina1: 'h6' },
    })
    const credit = () =>
      markCreditedStatement(DB, 'Bitcoin', [
        { txid: 'a', vout: 1 },
        { txid: 'b', vout: 0 },
      ]).run()
    expect([(await credit()).meta.changes, (await credit()).meta.changes]).toEqual([2, 0])
    expect(await list('outputs WHERE credited', 'blockchain || txid || vout')).toEqual(['Bitcoina1', 'Bitcoinb0'])
    await add('outputs', { txid: 'not asked for' })
    const places = await selectPlaces(DB, 'Bitcoin', ['a', 'b', 'none'])
    expect(places.map(({ txid, blockHash }) => [txid, blockHash]).sort()).toEqual([
      ['a', undefined],
      ['b', 'h'],
    ])
  })

  it('of an address are the two hundred largest', async () => {
    const columns = { blockchain: "'Bitcoin'", vout: '0', coinbase: '0', seen_at: '0', in_mempool: '0' }
    await addMany('outputs', 201, { ...columns, txid: 'n', address: "'a'", amount: 'n' })
    await add(
      'outputs',
      { txid: 'b', address: 'b' },
      { txid: 'c', address: 'c' },
      { txid: 'a', address: 'a', blockchain: 'Dogecoin', amount: '999' },
    )
    const found = await selectOutputsByAddress(DB, 'Bitcoin', ['a', 'b'])
    const amounts = found.filter(({ address }) => address === 'a').map(({ amount }) => Number(amount))
    expect([amounts.length, Math.min(...amounts), Math.max(...amounts)]).toEqual([200, 2, 201])
    expect(found.filter(({ address }) => address !== 'a').map(({ txid }) => txid)).toEqual(['b'])
  })

  it('are asked for by twenty addresses at a time, and by two thousand transactions', async () => {
    const { env: counting, calls } = faultyEnv(undefined)
    const names = (length: number) => Array.from({ length }, (_, n) => `n${n}`)
    const cost = async (work: () => Promise<unknown>) => {
      const before = calls()
      await work()
      return calls() - before
    }
    expect(await cost(() => selectOutputsByAddress(counting.DB, 'Bitcoin', names(20)))).toBe(1)
    expect(await cost(() => selectOutputsByAddress(counting.DB, 'Bitcoin', names(21)))).toBe(2)
    expect(await cost(() => selectPlaces(counting.DB, 'Bitcoin', names(2_000)))).toBe(1)
    expect(await cost(() => selectPlaces(counting.DB, 'Bitcoin', names(2_001)))).toBe(2)
  })

  it('are to be credited that are deep enough, and that no request waits for', async () => {
    await add(
      'addresses',
      { address: 'a' },
      { address: 'b', user_id: 'bob' },
      ...STATES.map((address) => ({ address, kind: 'request' })),
    )
    await add(
      'addresses',
      { address: 'a', blockchain: 'Dogecoin', user_id: 'bob' },
      { address: 'dog', kind: 'request' },
      { address: 'dog', kind: 'request', blockchain: 'Dogecoin' },
    )
    await add('payment_requests', ...STATES.map((state) => ({ id: state, state, address: state })))
    await add('payment_requests', { id: 'dog', address: 'dog', blockchain: 'Dogecoin' })
    const deep = { address: 'a', block_height: 5 }
    await add(
      'outputs',
      { ...deep, txid: 'deep' },
      { ...deep, txid: 'young', block_height: 6 },
      { ...deep, txid: 'coinbase', coinbase: 1, block_height: 3 },
    )
    await add(
      'outputs',
      { ...deep, txid: 'unripe', coinbase: 1, block_height: 4 },
      { ...deep, txid: 'credited', credited: 1 },
      { ...deep, txid: 'dropped', dropped: 1 },
    )
    await add(
      'outputs',
      { ...deep, txid: 'unmined', block_height: null },
      { ...deep, txid: 'bobs', address: 'b' },
      { ...deep, txid: 'strangers', address: 'x' },
    )
    await add(
      'outputs',
      ...STATES.map((address) => ({ ...deep, txid: address, address })),
      { ...deep, txid: 'dog', blockchain: 'Dogecoin' },
      { ...deep, txid: 'dogs', address: 'dog' },
    )
    const credit = async (limit: number) =>
      (await selectCreditable(DB, 'Bitcoin', { height: 5, coinbaseHeight: 3, limit }))
        .map(({ txid, userId }) => txid + userId)
        .sort()
    expect(await credit(99)).toEqual([
      'bobsbob',
      'cancelledada',
      'coinbaseada',
      'deepada',
      'dogsada',
      'expiredada',
      'settledada',
    ])
    expect(await credit(2)).toHaveLength(2)
  })

  it('are looked for that are in no block, from somewhere on and around', async () => {
    await add(
      'outputs',
      ...['a', 'b', 'c', 'd'].map((txid) => ({ txid })),
      { txid: 'b', vout: 1 },
      { txid: 'e', block_height: 5 },
    )
    await add('outputs', { txid: 'f', dropped: 1 }, { txid: 'g', blockchain: 'Dogecoin' })
    expect(await selectUnminedTxids(DB, 'Bitcoin', 'c', 9)).toEqual(['c', 'd', 'a', 'b'])
    expect(await selectUnminedTxids(DB, 'Bitcoin', 'c', 3)).toEqual(['c', 'd', 'a'])
    expect(await selectUnminedTxids(DB, 'Bitcoin', 'c', 2)).toEqual(['c', 'd'])
  })

  it('keep a request from being cancelled while money is at its address', async () => {
    await add(
      'outputs',
      { txid: 'a', address: 'seen', in_mempool: 1 },
      { txid: 'b', address: 'mined', block_height: 5 },
      { txid: 'c', address: 'gone' },
    )
    await add('outputs', { txid: 'd', address: 'dog', blockchain: 'Dogecoin', in_mempool: 1 })
    const free: string[] = []
    for (const address of ['seen', 'mined', 'gone', 'dog', 'none']) {
      if (await batchIf(DB, [assertNoMoneyStatement(DB, 'Bitcoin', address)])) free.push(address)
    }
    expect(free).toEqual(['gone', 'dog', 'none'])
  })
})

describe('requests for payment', () => {
  it('are recorded with their items, which wait in an open one; one that is settled at once is told of', async () => {
    const open: PaymentRequest = {
      ...{ id: 'open', userId: 'ada', target: 'IPFS', blockchain: 'Bitcoin', address: undefined, itemIds: ['i', 'j'] },
      ...{ amount: 5n, feeRate: 7n, parts: { networkFee: 2n, storageFee: 3n }, state: 'open', createdAt: 1 },
      expiresAt: 9,
    }
    const old = { feeRate: undefined, parts: undefined }
    const settled: PaymentRequest = { ...open, ...old, id: 'settled', state: 'settled', itemIds: ['k'] }
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
      { ...seen, txid: 'i', address: 'i', amount: '600' },
    )
    expect(ids(await selectExpiredWithMoney(DB, 'Bitcoin', 50, 9))).toEqual(['paid'])
    expect(ids(await selectExpiredWithMoney(DB, 'Bitcoin', 49, 9)).sort()).toEqual(['long-ago', 'paid'])
    expect(await selectExpiredWithMoney(DB, 'Bitcoin', 49, 1)).toHaveLength(1)
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
    const doubt = async (after = '', limit = 9) => ids(await selectRequestsInDoubt(DB, 'Bitcoin', { after, limit }))
    await add(
      'outputs',
      { txid: 't', address: 'a', credited: 1, block_height: 5 },
      { txid: 'u', address: 'a' },
      { txid: 'v', address: 'b', credited: 1, blockchain: 'Dogecoin' },
    )
    expect(await doubt()).toEqual(['paused'])
    await DB.prepare("UPDATE outputs SET block_height = NULL WHERE txid = 't'").run()
    expect(await doubt()).toEqual(['paused', 'queued', 'writing'])
    expect(await doubt('paused', 1)).toEqual(['queued'])
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
      id: 'gone',
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
      { seq: 1, amount: '1', cause: 'request:p', created_at: 7 },
      { seq: 2, amount: '1', cause: 'request:dog', created_at: 8 },
    )
    await add('ledger', { seq: 1, amount: '1', cause: 'request:q', created_at: 9, blockchain: 'Dogecoin' })
    expect(await selectRequestSummaries(DB, ['p', 'q', 'dog'])).toEqual(
      new Map([
        ['p', { names: ['a', 'b', 'c'], storedSize: 40, transactions: 8, settledAt: 7 }],
        ['q', { names: ['e'], storedSize: 10, transactions: 2, settledAt: undefined }],
        ['dog', { names: [], storedSize: 0, transactions: 0, settledAt: undefined }],
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
    expect(await selectRequestMarks(DB, 'ada', 9)).toEqual([
      { address: 'seen', mark: 'seen 2 1 5 1 0 7' },
      { address: 'open', mark: 'open' },
    ])
    expect(await selectRequestMarks(DB, 'ada', 1)).toHaveLength(1)
    await add('outputs', { txid: 'e', address: 'open' })
    expect((await selectRequestMarks(DB, 'ada', 9))[1]?.mark).toBe('open 1 0 0 0 0 7')
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
      { seq: 1, amount: '1', cause: 'request:p', created_at: 7 },
      { seq: 2, amount: '1', cause: 'request:q', created_at: 8 },
    )
    await add('ledger', { seq: 1, amount: '1', cause: 'request:p', created_at: 9, blockchain: 'Dogecoin' })
    const paid = async (id: string) => {
      const found = await selectPaidItem(DB, 'ada', id)
      return found && [found.name, found.request.id, found.paidAt]
    }
    expect(await paid('a')).toEqual(['a', 'p', 7])
    expect(await paid('part')).toEqual(['part', 'p', 7])
    for (const id of ['gone', 'bobs', 'unpaid', 'none']) expect(await paid(id)).toBeUndefined()
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
    const columns = {
      blockchain: "'Bitcoin'",
      vout: '0',
      coinbase: '0',
      seen_at: '0',
      in_mempool: '0',
      address: "'a'",
      amount: '1',
    }
    await addMany('outputs', 201, { ...columns, txid: "'n' || n", credited: '1' })
    expect(await paying()).toHaveLength(200)
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
      ...[`output:${at(6)}:0`, 'withdrawal:w', 'withdrawal-fee:w', 'refund:w', 'manual:x'],
    ]
    await add('ledger', { user_id: 'bob', seq: 1, amount: '1', cause: 'request:other' })
    await add('ledger', { user_id: 'bob', seq: 1, amount: '1', cause: 'request:p', blockchain: 'Dogecoin' })
    for (const [n, cause] of causes.entries()) await add('ledger', { seq: n + 1, amount: String(n), cause })
    const expected = [
      ...[
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
})
