import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  advanceWriteStatements,
  clearReplannedStatement,
  deleteWrittenFailuresStatement,
  finishWriteStatement,
  planWriteStatements,
  retryWriteStatements,
  selectDataBytes,
  selectItemsOfRequests,
  selectQuotes,
  selectReplanned,
  selectUncontested,
  selectWrites,
  startWritesStatement,
} from '../../../../../worker/features/items/sql/writes.ts'
import {
  selectFullyMined,
  updateProgressStatements,
} from '../../../../../worker/features/transactions/sql/transaction-states.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, addMany, list, type Row, read } from '../../../rows.ts'
import { addTransactions, STATES } from '../../transactions/sql/own-transactions.ts'
import { prepareTables } from '../../transactions/sql/prepare-tables.ts'

const { DB } = env

beforeEach(prepareTables)

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
      ['queued', 1_000_000_000n],
      ['paused', 1_000_000_000n],
    ])
  })

  it('are read a thousand at a time', async () => {
    await addMany('items', 1_001, { stored_size: '1', removed_at: '1' })
    await addMany('writes', 1_001, { item_id: 'n' })
    expect(await selectWrites(DB, 'Bitcoin', ['queued'])).toHaveLength(1_000)
    // What is published, or on IPFS, is not kept out by these, nor what may be written at a higher fee rate.
    await DB.prepare("UPDATE payment_requests SET fee_rate = '998' WHERE id = 'request'").run()
    await add('payment_requests', { id: 'dear', fee_rate: '1000' }, { id: 'cheap', fee_rate: '999' })
    const later = { target: 'Bitcoin', state: 'queued', created_at: 1, request_id: 'dear' }
    const rows = ['dear', 'cheap', 'published', 'ipfs'].map((id) => ({ ...later, item_id: id }))
    await add('items', ...rows.map(({ item_id }) => ({ id: item_id, stored_size: 1 })))
    const changes = [{}, { request_id: 'cheap' }, { state: 'published' }, { target: 'IPFS' }]
    await add('writes', ...rows.map((row, index) => ({ ...row, ...changes[index] })))
    const read = async (options: Parameters<typeof selectWrites>[3]) =>
      (await selectWrites(DB, 'Bitcoin', ['queued', 'published'], options)).map(({ itemId }) => itemId)
    expect(await read({ part: 'others' })).toEqual(['ipfs', 'published'])
    expect(await read({ part: 'all', quote: 1_000n })).toEqual(['dear', 'ipfs', 'published'])
    expect(await read({ part: 'toWrite', quote: 1_000n })).toEqual(['dear', 'published'])
    expect(await read({ part: 'toWrite', quote: 999n })).toEqual(['cheap', 'dear', 'published'])
    expect(await read({ part: 'toWrite', quote: 1_001n })).toEqual([])
    expect(await read({ part: 'toWrite' })).toHaveLength(1_000)
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

  it('that are published or done leave no failed record, but where one of their transactions waits', async () => {
    await addWrites()
    await add('writes', { item_id: 'waits', state: 'done' })
    await addTransactions({ txid: 'waits', item_id: 'waits' }, { txid: 'dead', item_id: 'done', state: 'dead' })
    const known = [...WRITES, 'waits', 'unknown']
    await add('failed_records', ...known.map((id) => ({ kind: 'refused', id })), { kind: 'unreadable', id: 'done' })
    await add('failed_records', { kind: 'refused', id: 'done', blockchain: 'Dogecoin' })
    await deleteWrittenFailuresStatement(DB, 'Bitcoin').run()
    expect(await list('failed_records', "blockchain || ':' || kind || ':' || id")).toEqual([
      ...['Bitcoin:refused:parked', 'Bitcoin:refused:paused', 'Bitcoin:refused:queued', 'Bitcoin:refused:unknown'],
      ...['Bitcoin:refused:waits', 'Bitcoin:refused:writing', 'Bitcoin:unreadable:done', 'Dogecoin:refused:done'],
    ])
  })

  it('that were stopped are tried again, cut anew where nothing was written', async () => {
    await addWrites({ data_bytes: 100, transactions: 3 })
    await DB.prepare("UPDATE items SET status = 409 WHERE id IN ('paused', 'parked')").run()
    await addTransactions(
      { txid: 'a', item_id: 'parked', item_index: 0, state: 'dead' },
      { txid: 'b', item_id: 'paused', item_index: 0 },
    )
    await add('failed_records', ...['parked', 'paused', 'writing'].map((id) => ({ id, kind: 'refused', retry_at: 9 })))
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
    expect(await read('failed_records', 'id', 'retry_at')).toEqual({ parked: 0, paused: 0, writing: 9 })
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
    expect(await selectFullyMined(DB, 'Bitcoin', 5)).toEqual([{ itemId: 'a', cid: null, indexOf: null }])
    await addMany('writes', 21, { item_id: "'m' || n", state: "'writing'", transactions: '0' })
    expect(await selectFullyMined(DB, 'Bitcoin', 5)).toHaveLength(20)
    // Those that failed keep none waiting.
    await add('failed_records', { id: 'a' })
    await addMany('failed_records', 20, { id: "'m' || n" })
    const first = await selectFullyMined(DB, 'Bitcoin', 5)
    expect([first.length, first[0]?.itemId]).toEqual([20, 'm21'])
  })
})

describe('what items were priced with', () => {
  it('is found whatever became of them, and of none but those', async () => {
    await add('payment_requests', { id: 'dear', state: 'settled', fee_rate: '7000' })
    await add(
      'writes',
      { item_id: 'stopped', state: 'parked', request_id: 'dear' },
      { item_id: 'stored', state: 'done', request_id: 'dear' },
      { item_id: 'else', request_id: 'dear' },
    )
    expect((await selectQuotes(DB, ['stopped', 'stored'])).sort((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: 'stopped', feeRate: 7_000n },
      { id: 'stored', feeRate: 7_000n },
    ])
  })
})
