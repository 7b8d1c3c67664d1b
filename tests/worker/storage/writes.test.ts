import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { batchIf } from '../../../worker/storage/guarded-batch.ts'
import { selectDataBytes, selectItemTransactions } from '../../../worker/storage/writes/item-transactions.ts'
import {
  closeLaneOfCoinStatement,
  closeLanesFromStatement,
  closeLanesStatement,
  selectIdleLanes,
  selectNextLaneId,
  selectOpenLanes,
  selectOwnOutputs,
  selectUnsentInputs,
} from '../../../worker/storage/writes/lanes.ts'
import {
  assertNotSweptStatement,
  forgetBundlesStatement,
  insertSweptBundles,
  selectFinalBundles,
} from '../../../worker/storage/writes/signed-bytes.ts'
import {
  countAttemptsStatement,
  markCheckedStatement,
  markDeadStatements,
  markMinedStatements,
  markSentStatement,
  markSpentOtherwiseStatement,
  selectFullyMined,
  selectItemIndexes,
  selectItemTxids,
  unmineTransactionsAboveStatements,
  updateProgressStatements,
} from '../../../worker/storage/writes/transaction-states.ts'
import {
  insertTransactionsStatements,
  selectLaneTips,
  selectSpent,
  selectUnmined,
} from '../../../worker/storage/writes/transactions.ts'
import {
  advanceWriteStatements,
  clearReplannedStatement,
  finishWriteStatement,
  planWriteStatements,
  retryWriteStatements,
  selectItemsOfRequests,
  selectQuotes,
  selectReplanned,
  selectUncontested,
  selectWrites,
  startWritesStatement,
} from '../../../worker/storage/writes/writes.ts'
import { add, addMany, clear, list, type Row, read } from './rows.ts'

const { DB } = env

beforeEach(async () => {
  await clear(
    'events',
    'transaction_inputs',
    'transactions',
    'lanes',
    'writes',
    'payment_requests',
    'withdrawals',
    'blocks',
  )
  await clear('swept_bundles', 'items')
  await add('lanes', { id: 1 }, { id: 1, blockchain: 'Dogecoin' })
  await add('payment_requests', { id: 'request', state: 'settled' }, { id: 'other', state: 'settled' })
})

const STATES = ['signed', 'sent', 'mined', 'dead']
let seq = 0
/** Transactions of lane 1, each in its place there. */
const addTransactions = (...rows: Row[]) => add('transactions', ...rows.map((row) => ({ seq: ++seq, ...row })))
/** One in each state, and the same on another chain. */
async function addStates(given: Row = {}): Promise<void> {
  for (const blockchain of ['Bitcoin', 'Dogecoin']) {
    await addTransactions(...STATES.map((state) => ({ txid: state, state, blockchain, ...given })))
  }
}
const column = async (name: string, condition = 'true') => {
  const found = await read('transactions', 'blockchain || txid', `IIF(${condition}, ${name}, 'not looked at')`)
  return Object.fromEntries(
    Object.entries(found).map(([key, value]) => [
      key.replace('Bitcoin', '').replace('Dogecoin', 'of Dogecoin: '),
      value,
    ]),
  )
}
const changed = async (name: string, from: unknown) =>
  Object.fromEntries(Object.entries(await column(name)).filter(([, value]) => value !== from))

describe('transactions', () => {
  it('count attempts, each of its own', async () => {
    await addStates()
    await countAttemptsStatement(DB, 'Bitcoin', ['signed', 'mined']).run()
    expect(await changed('attempts', 0)).toEqual({ signed: 1, mined: 1 })
  })

  it('are sent that were signed or sent', async () => {
    await addStates({ spent_height: 3 })
    await addTransactions({ txid: 'other', state: 'signed' })
    await markSentStatement(DB, 'Bitcoin', STATES, 7).run()
    await markSentStatement(DB, 'Bitcoin', STATES, 8).run()
    expect(await changed('sent_height', null)).toEqual({ signed: 7, sent: 7 })
    expect(await changed('checked_height', null)).toEqual({ signed: 8, sent: 8 })
    expect(await changed('spent_height', 3)).toEqual({ signed: null, sent: null, other: null })
    expect(await column('state')).toMatchObject({
      signed: 'sent',
      sent: 'sent',
      mined: 'mined',
      dead: 'dead',
      other: 'signed',
    })
  })

  it('are looked at that were sent', async () => {
    await addStates()
    await addTransactions({ txid: 'other' })
    await markCheckedStatement(DB, 'Bitcoin', STATES, 7).run()
    expect(await changed('checked_height', null)).toEqual({ sent: 7, signed: 7 })
  })

  it('are put into blocks that are still followed', async () => {
    await addStates({ spent_height: 3 })
    await addTransactions({ txid: 'gone' }, { txid: 'other' }, { txid: 'next' })
    await add(
      'blocks',
      { height: 5, hash: 'a' },
      { height: 6, hash: 'b' },
      { height: 9, hash: 'x', blockchain: 'Dogecoin' },
    )
    const mined = [...STATES.map((txid) => ({ txid, hash: 'a', height: 5 })), { txid: 'gone', hash: 'x', height: 5 }]
    await DB.batch(markMinedStatements(DB, 'Bitcoin', [...mined, { txid: 'next', hash: 'b', height: 6 }]))
    expect(await changed('block_height', null)).toEqual({ signed: 5, sent: 5, next: 6 })
    expect(await changed('block_hash', null)).toEqual({ signed: 'a', sent: 'a', next: 'b' })
    expect(await changed('spent_height', 3)).toMatchObject({ signed: null, sent: null })
    for (const [hash, height] of [
      ['a', 6],
      ['x', 9],
    ] as const) {
      await DB.batch(markMinedStatements(DB, 'Bitcoin', [{ txid: 'other', hash, height }]))
    }
    expect(await column('state')).toMatchObject({
      signed: 'mined',
      sent: 'mined',
      dead: 'dead',
      gone: 'sent',
      other: 'sent',
    })
  })

  it('leave the chain with their block', async () => {
    await addStates({ block_height: 6, block_hash: 'b', spent_height: 6 })
    await addTransactions({ txid: 'deep', state: 'mined', block_height: 5, block_hash: 'a', spent_height: 5 })
    await DB.batch(unmineTransactionsAboveStatements(DB, 'Bitcoin', 5))
    expect(await changed('block_height', 6)).toEqual({ mined: null, deep: 5 })
    expect(await changed('block_hash', 'b')).toEqual({ mined: null, deep: 'a' })
    expect(await column('state')).toMatchObject({ mined: 'sent', deep: 'mined', dead: 'dead', signed: 'signed' })
    expect(await changed('spent_height', 6)).toEqual({ signed: null, sent: null, mined: null, dead: null, deep: 5 })
  })

  it('note that what they spend was spent otherwise', async () => {
    await addStates()
    await addTransactions({ txid: 'other' })
    await markSpentOtherwiseStatement(DB, 'Bitcoin', STATES, 7).run()
    await markSpentOtherwiseStatement(DB, 'Bitcoin', STATES, 8).run()
    expect(await changed('spent_height', null)).toEqual({ signed: 7, sent: 7 })
    expect(await changed('checked_height', null)).toEqual({ signed: 8, sent: 8 })
  })

  it('are given up with what they spend, and their payloads are planned again', async () => {
    await addTransactions({ txid: 'a', item_id: 'i', item_index: 3 }, { txid: 'b', item_id: 'i', item_index: 2 })
    await addTransactions(
      { txid: 'c', item_id: 'i', item_index: 0 },
      { txid: 'd', item_id: 'j', item_index: 0 },
      { txid: 'bump' },
    )
    await addTransactions({ txid: 'a', blockchain: 'Dogecoin', item_id: 'k', item_index: 1 })
    for (const item_id of ['i', 'j', 'k', 'l']) await add('writes', { item_id, next_index: 5 })
    const input = { blockchain: 'Bitcoin', prev_vout: 0 }
    await add('transaction_inputs', { ...input, prev_txid: 'p', txid: 'a' }, { ...input, prev_txid: 'q', txid: 'c' })
    await add('transaction_inputs', { ...input, blockchain: 'Dogecoin', prev_txid: 'p', txid: 'a' })
    await DB.batch(markDeadStatements(DB, 'Bitcoin', [{ txid: 'a' }, { txid: 'b' }, { txid: 'bump' }]))
    expect(await changed('state', 'sent')).toEqual({ a: 'dead', b: 'dead', bump: 'dead' })
    expect(await list('transaction_inputs', 'blockchain || prev_txid')).toEqual(['Bitcoinq', 'Dogecoinp'])
    expect(await read('writes', 'item_id', 'next_index')).toEqual({ i: 2, j: 5, k: 5, l: 5 })
  })

  it('are recorded with what they spend, and come back to life when the same is signed again', async () => {
    const signed = {
      ...{
        txid: 'a',
        lane: 1,
        seq: 900,
        itemId: undefined,
        itemIndex: undefined,
        withdrawalId: undefined,
        bundle: 'new',
      },
      ...{ offset: 0, length: 1, vsize: 1, fee: 1n, changeVout: 0, changeValue: 1n, inputs: [{ txid: 'p', vout: 0 }] },
    }
    await addTransactions({ txid: 'a', state: 'dead', bundle: 'old', spent_height: 3 })
    expect(await batchIf(DB, insertTransactionsStatements(DB, 'Bitcoin', [signed]))).toBe(true)
    expect(await column("bundle || state || IFNULL(spent_height, '')")).toEqual({ a: 'newsigned' })
    const again = { ...signed, bundle: 'third', inputs: [{ txid: 'q', vout: 0 }] }
    expect(await batchIf(DB, insertTransactionsStatements(DB, 'Bitcoin', [again]))).toBe(true)
    expect(await column('bundle')).toEqual({ a: 'new' })
    const other = { ...signed, txid: 'b', seq: 901 }
    expect(await batchIf(DB, insertTransactionsStatements(DB, 'Bitcoin', [other]))).toBe(false)
  })

  it('without a block are read in the order of their lanes', async () => {
    await addStates()
    expect((await selectUnmined(DB, 'Bitcoin')).map(({ txid }) => txid)).toEqual(['signed', 'sent'])
  })

  it('are the tip of an open lane that are its last', async () => {
    await add('lanes', { id: 2, coin_txid: 'x' }, { id: 3, coin_txid: 'y', state: 'closed' }, { id: 4, coin_txid: 'z' })
    await add('lanes', { id: 5, coin_txid: 'only dead' })
    await addTransactions({ txid: 'a', seq: 1 }, { txid: 'b', seq: 2 }, { txid: 'c', seq: 3, state: 'dead' })
    await addTransactions(
      { txid: 'd', lane: 2, seq: 1 },
      { txid: 'e', lane: 3, seq: 1 },
      { txid: 'f', lane: 5, seq: 1, state: 'dead' },
    )
    await addTransactions({ txid: 'g', blockchain: 'Dogecoin', seq: 2 }, { txid: 'h', lane: 2, seq: 1, state: 'dead' })
    expect((await selectLaneTips(DB, 'Bitcoin')).map(({ txid }) => txid).sort()).toEqual(['b', 'd'])
  })

  it('say which outputs are spent, or tied to a withdrawal', async () => {
    const input = { blockchain: 'Bitcoin', prev_vout: 1, txid: 't' }
    await add('transaction_inputs', { ...input, prev_txid: 'p' }, { ...input, prev_txid: 'q' })
    await add('transaction_inputs', { ...input, prev_txid: 'r', blockchain: 'Dogecoin' })
    for (const state of ['waiting', 'sent', 'failed', 'confirmed']) {
      await add('withdrawals', { id: state, state, coin_txid: state, coin_vout: 0 })
    }
    await add('withdrawals', { id: 'none' }, { id: 'dog', blockchain: 'Dogecoin', coin_txid: 'dog', coin_vout: 0 })
    const found = await selectSpent(DB, 'Bitcoin', ['p', 'r'])
    expect([...found].sort()).toEqual(['failed:0', 'p:1', 'sent:0', 'waiting:0'])
  })

  it('spend coins that are found however many a wallet has: 40,000 are more than one value of D1 holds', async () => {
    await DB.prepare("INSERT INTO transaction_inputs VALUES ('Bitcoin', ?, 1, 't')").bind('f'.repeat(64)).run()
    const many = Array.from({ length: 40_000 }, (_, index) => index.toString(16).padStart(64, '0'))
    expect([...(await selectSpent(DB, 'Bitcoin', [...many, 'f'.repeat(64)]))]).toEqual([`${'f'.repeat(64)}:1`])
  })

  it('that no node has taken spend what a wallet does not know for spent', async () => {
    const inputs = [
      ...[
        ['p', 'signed'],
        ['signed', 'next'],
        ['q', 'sent'],
        ['r', 'mined'],
        ['s', 'dead'],
      ],
    ]
    await addStates()
    await addTransactions({ txid: 'next', state: 'signed' })
    await DB.batch(
      inputs.flatMap(([from, to]) =>
        ['Bitcoin', 'Dogecoin'].map((blockchain) =>
          DB.prepare('INSERT INTO transaction_inputs VALUES (?, ?, 3, ?)').bind(blockchain, from, to),
        ),
      ),
    )
    expect(await selectUnsentInputs(DB, 'Bitcoin')).toEqual([{ txid: 'p', vout: 3 }])
  })

  it('of an item are read by their place in it', async () => {
    for (const [index, state] of STATES.entries())
      await addTransactions({ txid: state, item_id: 'i', item_index: index, state })
    await addTransactions({ txid: 'more', item_id: 'i', item_index: 4 }, { txid: 'else', item_id: 'j', item_index: 1 })
    const part = async (from: number, end: number) =>
      (await selectItemTransactions(DB, 'i', from, end)).map(({ txid }) => txid)
    expect(await part(0, 9)).toEqual(['signed', 'sent', 'mined', 'more'])
    expect(await part(1, 4)).toEqual(['sent', 'mined'])
    expect(await selectItemIndexes(DB, 'i', 1)).toEqual(new Set([1, 2, 4]))
    expect(await selectItemTxids(DB, 'i')).toEqual(['signed', 'sent', 'mined', 'more'])
  })
})

describe('lanes', () => {
  beforeEach(async () => {
    await clear('transactions', 'lanes')
    await add(
      'lanes',
      { id: 1, coin_txid: 'p' },
      { id: 2, coin_txid: 'q' },
      { id: 3, coin_txid: 'p', coin_vout: 1, state: 'closed' },
    )
    await add(
      'lanes',
      { id: 8, coin_txid: 'p', blockchain: 'Dogecoin' },
      { id: 1, coin_txid: 'q', blockchain: 'Dogecoin' },
    )
  })
  const open = () => list("lanes WHERE state = 'open'", 'blockchain || id')

  it('are open ones of their chain, with a number above all', async () => {
    expect((await selectOpenLanes(DB, 'Bitcoin')).map(({ id }) => id)).toEqual([1, 2])
    expect(await selectNextLaneId(DB, 'Bitcoin')).toBe(4)
    expect(await selectNextLaneId(DB, 'Nativecoin')).toBe(1)
  })

  it('are closed by their numbers', async () => {
    await closeLanesStatement(DB, 'Bitcoin', [1]).run()
    expect(await open()).toEqual(['Bitcoin2', 'Dogecoin1', 'Dogecoin8'])
  })

  it.each([
    ['p:0', ['Bitcoin2', 'Dogecoin1', 'Dogecoin8'], 1],
    ['2', ['Bitcoin1', 'Dogecoin1', 'Dogecoin8'], 1],
    ['p:1', ['Bitcoin1', 'Bitcoin2', 'Dogecoin1', 'Dogecoin8'], 0],
    ['8', ['Bitcoin1', 'Bitcoin2', 'Dogecoin1', 'Dogecoin8'], 0],
  ])('are closed by their coin or number: %s', async (name, left, changes) => {
    expect((await closeLaneOfCoinStatement(DB, 'Bitcoin', name).run()).meta.changes).toBe(changes)
    expect(await open()).toEqual(left)
  })

  it('are closed whose coin was never there', async () => {
    expect((await closeLanesFromStatement(DB, 'Bitcoin', ['p', 'x']).run()).meta.changes).toBe(1)
    expect(await open()).toEqual(['Bitcoin2', 'Dogecoin1', 'Dogecoin8'])
  })

  it('are idle on which nothing waits', async () => {
    await add('lanes', ...[4, 5, 6, 7, 9, 10].map((id) => ({ id, coin_txid: `of-${id}` })))
    await addTransactions(
      { txid: 't1', lane: 4, state: 'mined', block_height: 5 },
      { txid: 't2', lane: 5, state: 'mined', block_height: 6 },
    )
    await addTransactions({ txid: 't3', lane: 6, state: 'dead' }, { txid: 't4', lane: 3, state: 'signed' })
    await addTransactions(
      { txid: 'of-7', lane: 3, state: 'sent' },
      { txid: 'of-9', lane: 3, state: 'mined', block_height: 1 },
    )
    await addTransactions(
      { txid: 'd', blockchain: 'Dogecoin', lane: 1 },
      { txid: 'of-10', blockchain: 'Dogecoin', lane: 1 },
    )
    expect(await selectIdleLanes(DB, 'Bitcoin', 5)).toEqual([1, 2, 4, 6, 9, 10])
  })

  it('know the outputs that they began with, and went on from', async () => {
    await addTransactions({ txid: 't', change_vout: 1 }, { txid: 'd', blockchain: 'Dogecoin', change_vout: 0 })
    const outputs = [
      ['p', 0],
      ['p', 1],
      ['p', 2],
      ['t', 1],
      ['t', 0],
      ['d', 0],
      ['x', 0],
    ].map(([txid, vout]) => ({ txid: String(txid), vout: Number(vout) }))
    expect((await selectOwnOutputs(DB, 'Bitcoin', outputs)).map(({ txid, vout }) => `${txid}:${vout}`)).toEqual([
      'p:0',
      'p:1',
      't:1',
    ])
    await add('lanes', { id: 4, coin_txid: 'w', blockchain: 'Dogecoin' })
    expect(await selectOwnOutputs(DB, 'Bitcoin', [{ txid: 'w', vout: 0 }])).toEqual([])
    expect(await selectOwnOutputs(DB, 'Bitcoin', [{ txid: 'none', vout: 0 }])).toEqual([])
  })
})

describe('what items were priced with', () => {
  it('is found whatever became of them, and of none but those', async () => {
    await add('payment_requests', { id: 'dear', state: 'settled', fee_rate: '7000' })
    await add(
      'writes',
      { item_id: 'stopped', state: 'parked', request_id: 'dear' },
      { item_id: 'stored', state: 'done', request_id: 'dear' },
      { item_id: 'old' },
      { item_id: 'else' },
    )
    expect((await selectQuotes(DB, ['stopped', 'stored', 'old'])).sort((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: 'old', feeRate: undefined },
      { id: 'stopped', feeRate: 7_000n },
      { id: 'stored', feeRate: 7_000n },
    ])
  })
})

describe('signed bytes', () => {
  it('are final that no transaction needs any more', async () => {
    const mined = { state: 'mined', block_height: 5 }
    await addTransactions(
      { ...mined, txid: 'a', bundle: 'deep' },
      { ...mined, txid: 'b', bundle: 'mixed' },
      { txid: 'c', bundle: 'mixed' },
    )
    await addTransactions(
      { txid: 'd', bundle: 'dead', state: 'dead' },
      { ...mined, txid: 'e', bundle: 'young', block_height: 6 },
    )
    await addTransactions(
      { ...mined, txid: 'f', bundle: '' },
      { txid: 'g', bundle: '', state: 'dead' },
      { txid: 'h', bundle: 'waits', state: 'signed' },
    )
    await addTransactions(
      { ...mined, txid: 'i', bundle: 'both' },
      { ...mined, txid: 'j', bundle: 'both', block_height: 6 },
    )
    await addTransactions(
      { ...mined, txid: 'k', bundle: 'of-dog', blockchain: 'Dogecoin' },
      { txid: 'l', bundle: 'dead-dog', state: 'dead', blockchain: 'Dogecoin' },
    )
    await addTransactions({ txid: 'm', bundle: 'deep', blockchain: 'Dogecoin' })
    expect((await selectFinalBundles(DB, 'Bitcoin', 5, 9)).sort()).toEqual(['dead', 'deep'])
    expect(await selectFinalBundles(DB, 'Bitcoin', 5, 1)).toHaveLength(1)
    await forgetBundlesStatement(DB, 'Bitcoin', ['deep', 'dead']).run()
    expect(await column('bundle', "bundle IN ('', 'deep', 'dead')")).toMatchObject({
      a: '',
      d: '',
      c: 'not looked at',
      'of Dogecoin: m': 'deep',
    })
  })

  it('are swept that no transaction names, and then none may', async () => {
    await addTransactions({ txid: 'a', bundle: 'kept' }, { txid: 'b', bundle: 'of-dog', blockchain: 'Dogecoin' })
    await add('swept_bundles', { bundle: 'long ago' }, { bundle: 'again' })
    expect((await insertSweptBundles(DB, 'Bitcoin', ['kept', 'lost', 'again', 'of-dog'])).sort()).toEqual([
      'again',
      'lost',
      'of-dog',
    ])
    expect(await batchIf(DB, [assertNotSweptStatement(DB, 'kept')])).toBe(true)
    expect(await batchIf(DB, [assertNotSweptStatement(DB, 'lost')])).toBe(false)
  })
})

describe('writes', () => {
  const WRITES = ['queued', 'writing', 'paused', 'parked', 'published', 'done']
  const addWrites = async (given: Row = {}) => {
    await add('items', ...WRITES.map((id) => ({ id, status: 202, stored_size: 1 })))
    await add('writes', ...WRITES.map((state, n) => ({ item_id: state, state, created_at: n, ...given })))
  }
  const states = () => read('writes', 'item_id', 'state')

  it('are read by their chain and states, the longest waiting first', async () => {
    await addWrites()
    await add('items', { id: 'first', stored_size: 1 }, { id: 'dog', stored_size: 1 })
    await add(
      'writes',
      { item_id: 'first', request_id: 'other', created_at: -1 },
      { item_id: 'dog', blockchain: 'Dogecoin' },
    )
    await DB.prepare("UPDATE payment_requests SET fee_rate = '7' WHERE id = 'other'").run()
    const found = await selectWrites(DB, 'Bitcoin', ['queued', 'paused'])
    expect(found.map(({ itemId, feeRate }) => [itemId, feeRate])).toEqual([
      ['first', 7n],
      ['queued', undefined],
      ['paused', undefined],
    ])
  })

  it('are read a thousand at a time', async () => {
    await addMany('items', 1_001, {
      ...{
        id: 'n',
        user_id: "'ada'",
        name: "''",
        mimetype: "''",
        blockchain: "'Bitcoin'",
        size: '1',
        chunk_size: '1',
        chunks: '1',
      },
      ...{ created_at: '0', updated_at: '0', stored_size: '1', removed_at: '1' },
    })
    const columns = {
      item_id: 'n',
      blockchain: "'Bitcoin'",
      target: "'Bitcoin'",
      request_id: "'request'",
      created_at: '0',
    }
    await addMany('writes', 1_001, { ...columns, state: "'queued'" })
    expect(await selectWrites(DB, 'Bitcoin', ['queued'])).toHaveLength(1_000)
  })

  it('are planned once', async () => {
    await addWrites()
    await DB.batch(planWriteStatements(DB, 'queued', 100, 3))
    await DB.batch(planWriteStatements(DB, 'queued', 200, 4))
    expect(await read('writes', 'item_id', "data_bytes || ':' || transactions")).toMatchObject({
      queued: '100:3',
      writing: null,
    })
    expect(await read('items', 'id', 'transactions')).toMatchObject({ queued: 3, writing: null })
    expect([await selectDataBytes(DB, 'queued'), await selectDataBytes(DB, 'writing')]).toEqual([100, undefined])
  })

  it('advance from where they were while they go on', async () => {
    await addWrites({ next_index: 2 })
    const advanced: string[] = []
    for (const id of WRITES.toReversed()) if (await batchIf(DB, advanceWriteStatements(DB, id, 2, 5))) advanced.push(id)
    expect(advanced).toEqual(['writing', 'queued'])
    expect(await batchIf(DB, advanceWriteStatements(DB, 'queued', 2, 6))).toBe(false)
    expect(await read('writes', 'item_id', 'next_index')).toMatchObject({ queued: 5, writing: 5, paused: 2, done: 2 })
  })

  it('begin that wait, when a transaction of theirs was taken', async () => {
    await addWrites()
    const more = ['a', 'b', 'c', 'd']
    await add('writes', ...more.map((item_id) => ({ item_id })), { item_id: 'dog', blockchain: 'Dogecoin' })
    const rows = { queued: 'sent', a: 'mined', b: 'signed', c: 'dead', dog: 'sent', paused: 'sent', parked: 'mined' }
    for (const [item_id, state] of Object.entries(rows))
      await addTransactions({ txid: item_id, item_id, item_index: 0, state })
    await startWritesStatement(DB, 'Bitcoin').run()
    expect(await states()).toEqual({
      ...Object.fromEntries(WRITES.map((state) => [state, state])),
      ...{ queued: 'writing', a: 'writing', b: 'queued', c: 'queued', d: 'queued', dog: 'queued' },
    })
  })

  it('are done that were published', async () => {
    await addWrites()
    await finishWriteStatement(DB, 'published').run()
    await finishWriteStatement(DB, 'writing').run()
    expect(await states()).toMatchObject({ published: 'done', writing: 'writing', queued: 'queued' })
    await add('writes', { item_id: 'other', state: 'published' })
    await finishWriteStatement(DB, 'published').run()
    expect(await states()).toMatchObject({ other: 'published' })
  })

  it('that were stopped are tried again, cut anew where nothing was written', async () => {
    await addWrites({ data_bytes: 100, transactions: 3 })
    await DB.prepare("UPDATE items SET status = 409 WHERE id IN ('paused', 'parked')").run()
    await addTransactions(
      { txid: 'a', item_id: 'parked', item_index: 0, state: 'dead' },
      { txid: 'b', item_id: 'paused', item_index: 0 },
    )
    const tried: string[] = []
    for (const id of WRITES) if (await batchIf(DB, retryWriteStatements(DB, id, 5))) tried.push(id)
    expect(tried).toEqual(['paused', 'parked'])
    expect(
      await read(
        'writes',
        'item_id',
        "state || unbacked || replan || IFNULL(data_bytes, '') || IFNULL(transactions, '')",
      ),
    ).toEqual({
      ...{ done: 'done001003', paused: 'writing101003', parked: 'queued01', published: 'published001003' },
      ...{ queued: 'queued001003', writing: 'writing001003' },
    })
    expect(await read('items', 'id', 'status')).toMatchObject({ paused: 202, parked: 202 })
  })

  it('of requests are those in some states that no operator let go on', async () => {
    await addWrites()
    await add('writes', { item_id: 'else', request_id: 'other' }, { item_id: 'unbacked', unbacked: 1 })
    expect((await selectItemsOfRequests(DB, ['request'], ['queued', 'paused'])).sort()).toEqual(['paused', 'queued'])
  })

  it('that an operator let be written anew are known, and that is used up', async () => {
    await addWrites({ replan: 1 })
    await add('writes', { item_id: 'plain' }, { item_id: 'else', replan: 1 })
    expect((await selectReplanned(DB, [...WRITES, 'plain'])).sort()).toEqual(['queued', 'writing'])
    await clearReplannedStatement(DB, ['queued']).run()
    expect(await read('writes', 'item_id', 'replan')).toMatchObject({ queued: 0, writing: 1, else: 1 })
  })

  it('are uncontested when nothing of theirs is spent otherwise', async () => {
    const parked = { state: 'parked', replan: 1 }
    await add('writes', ...['a', 'b', 'c', 'd', 'e'].map((item_id) => ({ item_id, ...parked })))
    await add(
      'writes',
      { item_id: 'f', state: 'parked' },
      { item_id: 'g', replan: 1 },
      { item_id: 'h', ...parked, blockchain: 'Dogecoin' },
    )
    const spent = { item_index: 0, spent_height: 5 }
    await addTransactions(
      { ...spent, txid: 'a', item_id: 'a', state: 'sent' },
      { ...spent, txid: 'b', item_id: 'b', state: 'signed' },
    )
    await addTransactions(
      { ...spent, txid: 'c', item_id: 'c', state: 'dead' },
      { ...spent, txid: 'd', item_id: 'd', spent_height: null },
    )
    expect((await selectUncontested(DB, 'Bitcoin')).sort()).toEqual(['c', 'd', 'e'])
  })

  it('show how far they are', async () => {
    await add(
      'items',
      { id: 'i', status: 202 },
      { id: 'j', status: 202 },
      { id: 'k', status: 200 },
      { id: 'l', status: 202 },
    )
    for (const item_id of ['i', 'j', 'k', 'l']) {
      await addTransactions(
        ...STATES.map((state, n) => ({
          txid: item_id + state,
          item_id,
          item_index: n,
          state,
          block_height: state === 'mined' || state === 'dead' ? 5 : null,
        })),
      )
    }
    await addTransactions({ txid: 'young', item_id: 'i', item_index: 8, state: 'mined', block_height: 6 })
    await DB.batch(updateProgressStatements(DB, ['i', 'j', 'k'], { tipHeight: 7, depth: 3, now: 5 }))
    expect(await read('items', 'id', "written || ':' || confirmed")).toEqual({ i: '3:1', j: '2:1', k: '0:0', l: '0:0' })
    expect(await list('events', 'subject')).toEqual(['i', 'j'])
  })

  it('tell how far they are once a second, where that changed', async () => {
    await add(
      'items',
      { id: 'i', status: 202, written: 1 },
      { id: 'j', status: 202 },
      { id: 'k', status: 200, written: 1 },
    )
    const tell = (now: number, depth = 1) =>
      DB.batch(updateProgressStatements(DB, ['i', 'j', 'k'], { tipHeight: 7, depth, now }))
    const told = () => read('events', 'subject', 'at')
    await add('events', { subject: 'i', type: 'item.stored', at: 1 })
    await addTransactions({ txid: 'a', item_id: 'i', item_index: 0 })
    await tell(2_000)
    await tell(9_000)
    expect(await told()).toEqual({ i: 2_000 })
    await addTransactions({ txid: 'b', item_id: 'i', item_index: 1 })
    await tell(2_999)
    expect(await told()).toEqual({ i: 2_000 })
    await tell(3_000)
    expect(await told()).toEqual({ i: 3_000 })
    await addTransactions({ txid: 'c', item_id: 'i', item_index: 2 })
    // The clock was set back.
    await tell(1_000)
    expect(await list('events', 'at')).toEqual([1, 1_000])
  })

  it('are fully mined whose transactions are all deep enough, twenty at a time', async () => {
    const write = { state: 'writing', next_index: 2, transactions: 2 }
    await add('writes', ...['a', 'b', 'c', 'd', 'e'].map((item_id) => ({ item_id, ...write })))
    await add('writes', { item_id: 'f', ...write, state: 'parked' }, { item_id: 'g', ...write, blockchain: 'Dogecoin' })
    await DB.prepare("UPDATE writes SET next_index = 1 WHERE item_id = 'd'").run()
    for (const item_id of ['a', 'b', 'c', 'd', 'f', 'g']) {
      const row = { item_id, state: 'mined', block_height: 5 }
      await addTransactions({ ...row, txid: `${item_id}0`, item_index: 0 })
      await addTransactions({
        ...row,
        txid: `${item_id}1`,
        item_index: 1,
        ...(item_id === 'b' ? { block_height: 6 } : item_id === 'c' ? { state: 'sent' } : {}),
      })
    }
    expect(await selectFullyMined(DB, 'Bitcoin', 5)).toEqual(['a'])
    const columns = {
      item_id: "'m' || n",
      blockchain: "'Bitcoin'",
      target: "'Bitcoin'",
      request_id: "'request'",
      created_at: '0',
    }
    await addMany('writes', 21, { ...columns, state: "'writing'", transactions: '0' })
    expect(await selectFullyMined(DB, 'Bitcoin', 5)).toHaveLength(20)
  })
})
