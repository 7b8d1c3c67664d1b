import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  abandonDirectory,
  assertRemovableStatement,
  assertUnpaidStatement,
  beginMerges,
  finishDirectoryMerge,
  finishImport,
  finishMerges,
  insertDirectory,
  insertUploads,
  type NewItem,
  payItemsStatements,
  publishChainItemStatements,
  publishIpfsItemStatements,
  refuseMerge,
  removeItemStatements,
  removeOrderItems,
  resumeItemsStatements,
  stopDoubleSpentStatements,
  stopItemsStatements,
} from '../../../../../worker/features/items/sql/move-items.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, clear, count, list, read } from '../../../rows.ts'

const { DB } = env
const TABLES = [
  'events',
  'item_txids',
  'transactions',
  'tx_chains',
  'writes',
  'payment_request_items',
  'payment_requests',
]

/** An item in each state, each three times: as it is, removed, and as part of a directory. */
const STATES = {
  uploading: { status: 201 },
  merging: { status: 201, merging_at: 1 },
  unpaid: { status: 402 },
  writing: { status: 202 },
  stored: { status: 200 },
  stopped: { status: 409 },
}
const IDS = Object.keys(STATES).flatMap((state) => [state, `${state}-removed`, `${state}-part`])

beforeEach(async () => {
  await clear(...TABLES, 'upload_leases')
  await DB.prepare('UPDATE items SET part_of = NULL').run()
  await clear('items', 'folders')
})

async function addStates(): Promise<void> {
  await add('items', { id: 'directory', status: 402 })
  for (const [id, state] of Object.entries(STATES)) {
    await add('items', { id, ...state }, { id: `${id}-removed`, ...state, removed_at: 1 })
    await add('items', { id: `${id}-part`, ...state, part_of: 'directory' })
  }
}

const NAMES =
  "CASE status WHEN 201 THEN IIF(merging_at IS NULL, 'uploading', 'merging') WHEN 402 THEN 'unpaid' WHEN 202 THEN 'writing' WHEN 200 THEN 'stored' ELSE 'stopped' END"
const states = () => read('items', 'id', `${NAMES} || IIF(removed_at IS NULL, '', ' removed')`)

/** What becomes of every item when a move is made with each of them in turn, of those that change. */
async function changes(
  move: (id: string) => Promise<unknown>,
  ids = IDS,
  look = states,
): Promise<Record<string, unknown>> {
  const changed: Record<string, unknown> = {}
  let before = await look()
  for (const id of ids) {
    await move(id)
    const after = await look()
    for (const name of Object.keys(before)) {
      if (after[name] !== before[name]) changed[name === id ? id : `${name} with ${id}`] = after[name]
    }
    before = after
  }
  return changed
}
const outcome = { storedSize: 1, transactions: 1, maxDataBytes: 1, cid: null }

describe('a move of an item', () => {
  beforeEach(addStates)

  it('begins the merges of uploads of a user', async () => {
    expect(await changes((id) => beginMerges(DB, 'bob', [id], 99, 5))).toEqual({})
    expect(await changes((id) => beginMerges(DB, 'ada', [id], 99, 5))).toEqual({ uploading: 'merging' })
    expect(await list('events', 'type || subject')).toEqual(['item.merginguploading'])
  })

  it('begins a merge with what was requested of its index', async () => {
    for (const [id, index] of Object.entries({ none: undefined, no: false, yes: true })) {
      await add('items', { id, status: 201 })
      await beginMerges(DB, 'ada', [id], 99, 5, index)
    }
    expect(await read('items', 'id', 'indexed')).toMatchObject({ none: null, no: 0, yes: 1 })
  })

  it('begins no more merges than a user may have', async () => {
    await add(
      'items',
      { id: 'one', status: 201 },
      { id: 'two', status: 201 },
      { id: 'bobs', status: 201, user_id: 'bob' },
    )
    // Three go on: one as it is, one of them removed, one part of a directory.
    expect(await beginMerges(DB, 'ada', ['one'], 3, 5)).toBe(false)
    expect(await beginMerges(DB, 'ada', ['one', 'two'], 4, 5)).toBe(false)
    expect(await beginMerges(DB, 'bob', ['bobs'], 1, 5)).toBe(true)
    expect(await beginMerges(DB, 'ada', ['one'], 4, 5)).toBe(true)
    expect(await beginMerges(DB, 'ada', ['two'], 5, 5)).toBe(true)
    expect(await beginMerges(DB, 'ada', ['two'], 9, 5)).toBe(false)
  })

  it('opens an upload again whose merge was refused', async () => {
    const refusal = { code: 'file_too_large' as never, message: 'why' }
    const expected = { merging: 'uploading', 'merging-part': 'uploading' }
    expect(await changes((id) => refuseMerge(DB, id, refusal, 5))).toEqual(expected)
  })

  it('ends a merge', async () => {
    const expected = { merging: 'unpaid', 'merging-part': 'unpaid' }
    expect(await changes((id) => finishMerges(DB, [{ id, ...outcome }], 5))).toEqual(expected)
    expect(await finishMerges(DB, [{ id: 'merging', ...outcome }], 5)).toEqual([])
  })

  it('ends the import of a CAR', async () => {
    const imported = { cid: 'c', storedSize: 1 }
    expect(await changes((id) => finishImport(DB, id, imported, 5))).toEqual({})
    await DB.prepare("UPDATE items SET upload_kind = 'car'").run()
    const expected = { merging: 'stored', 'merging-part': 'stored' }
    expect(await changes((id) => finishImport(DB, id, imported, 5))).toEqual(expected)
    expect(await list('events', 'subject')).toEqual(['merging', 'merging-part'])
    expect(await finishImport(DB, 'merging', imported, 5)).toBe(false)
    expect(await read('items', 'id', 'transactions')).toMatchObject({ merging: 0, 'merging-part': 0, unpaid: null })
  })

  it('lets an unpaid item be paid', async () => {
    const fine: string[] = []
    for (const id of IDS) if (await batchIf(DB, [assertUnpaidStatement(DB, 'ada', [id])])) fine.push(id)
    expect(fine).toEqual(['unpaid'])
    expect(await batchIf(DB, [assertUnpaidStatement(DB, 'bob', ['unpaid'])])).toBe(false)
    expect(await batchIf(DB, [assertUnpaidStatement(DB, 'ada', ['unpaid', 'directory'])])).toBe(true)
    expect(await batchIf(DB, [assertUnpaidStatement(DB, 'ada', ['unpaid', 'stored'])])).toBe(false)
  })

  it('queues what was paid, or nothing', async () => {
    await add('payment_requests', { id: 'request', state: 'settled' })
    const pay = (id: string) => {
      const request = { id: 'request', userId: 'ada', blockchain: 'Bitcoin', target: 'Bitcoin', itemIds: [id] } as const
      return batchIf(DB, payItemsStatements(DB, { ...request, itemIds: [id] }, 5))
    }
    expect(await changes(pay)).toEqual({ unpaid: 'writing' })
    expect(await read('writes', 'item_id', 'state')).toEqual({ unpaid: 'queued' })
  })

  it('removes what nobody paid for', async () => {
    await add('payment_requests', { id: 'request' })
    await add('items', { id: 'waits', status: 402 }, { id: 'waited', status: 402 })
    await add('payment_request_items', { request_id: 'request', item_id: 'waits', waiting: 1 })
    await add('payment_request_items', { request_id: 'request', item_id: 'waited', waiting: 0 })
    const ids = [...IDS, 'waits', 'waited']
    const removable: string[] = []
    for (const id of ids) if (await batchIf(DB, [assertRemovableStatement(DB, id)])) removable.push(id)
    expect(removable).toEqual(['uploading', 'merging', 'unpaid', 'waited'])
    expect(await changes((id) => DB.batch(removeItemStatements(DB, id, 5)), ids)).toEqual({
      uploading: 'uploading removed',
      merging: 'merging removed',
      ...{ unpaid: 'unpaid removed', waited: 'unpaid removed' },
    })
  })
})

describe('a directory', () => {
  const directory = {
    id: 'd',
    userId: 'ada',
    blockchain: 'IPFS' as const,
    folderId: null,
    directoryOf: 'f',
    name: 'f',
    mimetype: '',
    size: 1,
    createdAt: 5,
  }
  const merge = (files: string[], most = 9, folders = ['f', 'g']) =>
    insertDirectory(DB, directory, folders, files, most)
  const parts = () => read('items', 'id', 'part_of')

  it('is made of all that is in its folders', async () => {
    await add('items', { id: 'a', folder_id: 'f', status: 201 }, { id: 'b', folder_id: 'g', status: 402 })
    await add('items', { id: 'gone', folder_id: 'f', removed_at: 1 }, { id: 'else', folder_id: 'h' })
    expect(await merge(['a'])).toBe(false)
    expect(await merge(['a', 'else'])).toBe(true)
    await DB.prepare('UPDATE items SET part_of = NULL').run()
    await DB.prepare("DELETE FROM items WHERE id = 'd'").run()
    expect(await merge(['a', 'b'])).toBe(true)
    expect(await parts()).toEqual({ a: 'd', b: 'd', d: null, else: null, gone: null })
    expect(await merge(['a', 'b'])).toBe(false)
    expect(await read('items', 'id', NAMES)).toMatchObject({ d: 'merging' })
    expect(await read('items', 'id', "chunk_size || ':' || chunks")).toMatchObject({ a: '1:1', d: '0:0' })
    expect(await list('events', 'type || subject')).toContain('item.mergingd')
  })

  it.each([
    ['is being merged', { status: 201, merging_at: 1 }],
    ['is paid', { status: 202 }],
    ['is part of another', { part_of: 'other' }],
  ])('is not made where a file %s', async (_, row) => {
    await add('items', { id: 'other', status: 402 })
    await add('items', { id: 'a', folder_id: 'f' }, { id: 'b', folder_id: 'f', ...row })
    expect(await merge(['a', 'b'])).toBe(false)
    expect(await parts()).toMatchObject({ a: null })
  })

  it('is not made of what was removed, or is waited for', async () => {
    await add('items', { id: 'a', folder_id: 'f' }, { id: 'b', removed_at: 1 }, { id: 'c', folder_id: 'f' })
    expect(await merge(['a', 'b'])).toBe(false)
    await add('payment_requests', { id: 'request' })
    await add('payment_request_items', { request_id: 'request', item_id: 'a', waiting: 0 })
    await add('payment_request_items', { request_id: 'request', item_id: 'c', waiting: 1 })
    expect(await merge(['a', 'c'])).toBe(false)
    await DB.prepare('UPDATE payment_request_items SET waiting = 0').run()
    expect(await merge(['a', 'c'])).toBe(true)
  })

  it('is not made where its user has as many merges under way as one may', async () => {
    await add('items', { id: 'a', folder_id: 'f' }, { id: 'm', status: 201, merging_at: 1 })
    expect(await merge(['a'], 1)).toBe(false)
    expect(await merge(['a'], 2)).toBe(true)
  })

  it('waits for its payment with its own files when its merge has ended', async () => {
    await add('items', { id: 'd', status: 201, merging_at: 1 }, { id: 'e', status: 201, merging_at: 1 })
    await add('items', { id: 'a', part_of: 'd' }, { id: 'b', part_of: 'd' }, { id: 'c', part_of: 'e' })
    const files = ['a', 'c'].map((id) => ({ id, cid: `cid-${id}` }))
    const finish = (id: string) =>
      finishDirectoryMerge(DB, id, { cid: 'cid', storedSize: 1, transactions: 0, maxDataBytes: null, files }, 5)
    expect(await finish('d')).toBe(true)
    expect(await finish('d')).toBe(false)
    expect(await states()).toEqual({ ...{ a: 'unpaid', b: 'uploading', c: 'uploading', d: 'unpaid', e: 'merging' } })
    expect(await read('items', 'id', 'cid')).toMatchObject({ a: 'cid-a', b: null, c: null, d: 'cid', e: null })
    expect(await read('items', 'id', 'transactions')).toEqual({ a: 0, b: null, c: null, d: 0, e: null })
    await DB.prepare("UPDATE items SET removed_at = 1 WHERE id = 'e'").run()
    expect(await finish('e')).toBe(false)
    expect(await states()).toMatchObject({ c: 'uploading', e: 'merging removed' })
  })

  it('that is given up leaves its files as they were, once', async () => {
    await add(
      'items',
      { id: 'd', status: 201, merging_at: 1 },
      { id: 'e', status: 201, merging_at: 1 },
      { id: 'u', status: 402 },
    )
    await add('items', { id: 'a', part_of: 'd', status: 402 }, { id: 'b', part_of: 'e', status: 402 })
    await add('items', { id: 'c', part_of: 'u', status: 402 })
    await abandonDirectory(DB, 'd', 5)
    await abandonDirectory(DB, 'u', 5)
    await abandonDirectory(DB, 'none', 5)
    expect(await states()).toEqual({ a: 'uploading', b: 'unpaid', c: 'unpaid', e: 'merging', u: 'unpaid' })
    expect(await parts()).toMatchObject({ a: null, b: 'e', c: 'u' })
    await DB.prepare("UPDATE items SET removed_at = 1 WHERE id = 'e'").run()
    await DB.prepare("UPDATE items SET part_of = NULL WHERE id = 'b'").run()
    await abandonDirectory(DB, 'e', 5)
    expect(await list('items', 'id')).toContain('e')
  })

  it('goes with its files and the folders that it came of', async () => {
    await add('folders', { id: 'f' }, { id: 'g', parent_id: 'f' }, { id: 'h', name: 'other' })
    await add('items', { id: 'd', status: 402, directory_of: 'f' }, { id: 'e', status: 402, directory_of: 'h' })
    await add('items', { id: 'a', part_of: 'd' }, { id: 'b', part_of: 'e' }, { id: 'c', part_of: 'd', removed_at: 1 })
    await add('folders', { id: 'k' })
    await add('items', { id: 'x', removed_at: 5, directory_of: 'k' })
    await DB.batch(removeItemStatements(DB, 'd', 5))
    expect(await read('items', 'id', 'removed_at')).toEqual({ a: 5, b: null, c: 1, d: 5, e: null, x: 5 })
    expect(await list('folders', 'id')).toEqual(['h', 'k'])
    await DB.prepare("UPDATE items SET status = 202 WHERE id = 'e'").run()
    await DB.batch(removeItemStatements(DB, 'e', 5))
    await DB.batch(removeItemStatements(DB, 'a', 5))
    expect(await read('items', 'id', 'removed_at')).toMatchObject({ b: null, e: null })
    expect(await list('folders', 'id')).toEqual(['h', 'k'])
  })

  it('goes so with its order, and leaves the folders of others', async () => {
    await add('folders', { id: 'f' }, { id: 'g', parent_id: 'f' }, { id: 'h' })
    await add('items', { id: 'd', status: 402, directory_of: 'f', order_id: 'order' })
    await add('items', { id: 'e', status: 402, directory_of: 'h' }, { id: 'a', part_of: 'd' })
    await removeOrderItems(DB, { userId: 'ada', orderId: 'order' }, 5)
    expect(await read('items', 'id', 'removed_at')).toEqual({ a: 5, d: 5, e: null })
    expect(await list('folders', 'id')).toEqual(['h'])
  })
})

describe('writes', () => {
  /** An item of each state that is paid with a write of each state. */
  const WRITES = ['queued', 'writing', 'paused', 'parked', 'published', 'done']
  const PAID = ['writing', 'stored', 'stopped'].flatMap((item) => WRITES.map((write) => `${item}/${write}`))
  const paid = async () => {
    const [items, writes] = await Promise.all([
      read('items', 'id', NAMES),
      read('writes', 'item_id', "state || IIF(replan = 1, ' replan', '')"),
    ])
    return Object.fromEntries(Object.keys(items).map((id) => [id, `${items[id]}/${writes[id]}`]))
  }

  beforeEach(async () => {
    await add('payment_requests', { id: 'request', state: 'settled' })
    for (const id of PAID) {
      const [item = '', state = ''] = id.split('/')
      await add('items', { id, ...STATES[item as keyof typeof STATES] })
      await add('writes', { item_id: id, state })
      await add('item_txids', { item_id: id, txids: '' })
    }
  })

  it.each(['paused', 'parked'] as const)('are stopped while they go on: %s', async (state) => {
    const stop = (id: string) => DB.batch(stopItemsStatements(DB, [id], state, 'why', 5))
    expect(await changes(stop, PAID, paid)).toEqual({
      ...{ 'writing/queued': `stopped/${state}`, 'writing/writing': `stopped/${state}` },
      ...{ 'stored/queued': `stored/${state}`, 'stored/writing': `stored/${state}` },
      ...{ 'stopped/queued': `stopped/${state}`, 'stopped/writing': `stopped/${state}` },
    })
    expect(await list('events', 'type || subject')).toEqual([
      'item.stoppedwriting/queued',
      'item.stoppedwriting/writing',
    ])
  })

  it('are stopped, stored ones too, where what they spend was spent otherwise', async () => {
    const contest = (id: string) => DB.batch(stopDoubleSpentStatements(DB, [id], 'why', 5))
    const goOn = ['queued', 'writing', 'published', 'done']
    expect(await changes(contest, PAID, paid)).toEqual(
      Object.fromEntries(
        PAID.filter((id) => goOn.includes(id.split('/')[1] ?? '')).map((id) => [id, 'stopped/parked replan']),
      ),
    )
    const told = PAID.filter((id) => !id.startsWith('stopped') && goOn.includes(id.split('/')[1] ?? ''))
    expect(await list('events', 'subject')).toEqual(told.sort())
    expect(await list('item_txids', 'item_id')).toEqual(PAID.filter((id) => /pa/.test(id)).sort())
  })

  it('of an index that are stopped so leave an item without it, and one with its index of today as it was', async () => {
    await add('items', { id: 'of-it', index_txid: 'index' }, { id: 'of-a-later-one', index_txid: 'later' })
    const indexes = { 'writing/queued': 'of-it', 'writing/writing': 'of-a-later-one' }
    for (const [id, item] of Object.entries(indexes)) {
      await DB.prepare("UPDATE writes SET index_of = ?, index_txid = 'index' WHERE item_id = ?").bind(item, id).run()
    }
    await DB.batch(stopDoubleSpentStatements(DB, Object.keys(indexes), 'why', 5))
    expect(await read('items', 'id', 'index_txid')).toMatchObject({ 'of-it': null, 'of-a-later-one': 'later' })
  })

  it.each(['paused', 'parked'] as const)('go on that were stopped so: %s', async (state) => {
    await add('tx_chains', { id: 1 })
    await add('transactions', { txid: 'a', item_id: `stopped/${state}`, state: 'sent', seq: 1 })
    await add('transactions', { txid: 'b', item_id: `writing/${state}`, state: 'signed', seq: 2 })
    await add('transactions', { txid: 'c', item_id: `stored/${state}`, state: 'dead', dead: 1, seq: 3 })
    const resume = (id: string) => DB.batch(resumeItemsStatements(DB, [id], state, 5))
    expect(await changes(resume, PAID, paid)).toEqual({
      ...{ [`writing/${state}`]: 'writing/queued', [`stored/${state}`]: 'stored/queued' },
      [`stopped/${state}`]: 'writing/writing',
    })
  })

  it('end for what is served from IPFS, with the files of a directory', async () => {
    await add(
      'items',
      { id: 'file', part_of: 'writing/writing', status: 202 },
      { id: 'other', part_of: 'stopped/done', status: 202 },
    )
    const publish = (id: string) => DB.batch(publishIpfsItemStatements(DB, id, 5))
    expect(await changes(publish, PAID, paid)).toEqual({
      ...Object.fromEntries(WRITES.map((write) => [`writing/${write}`, `stored/${write}`])),
      ...{ 'writing/queued': 'stored/done', 'writing/writing': 'stored/done' },
      'file with writing/writing': 'stored/undefined',
      ...{ 'stored/queued': 'stored/done', 'stored/writing': 'stored/done' },
      ...{ 'stopped/queued': 'stopped/done', 'stopped/writing': 'stopped/done' },
    })
    expect(await count('events')).toBe(6)
  })

  it('are published with all their transactions deep enough', async () => {
    await clear('item_txids')
    await DB.prepare('UPDATE writes SET transactions = 2').run()
    await add('tx_chains', { id: 1 })
    const row = { item_id: 'writing/writing', state: 'mined', block_height: 5 }
    await add(
      'transactions',
      { ...row, txid: 'a', seq: 1 },
      { ...row, txid: 'b', seq: 2, item_index: 1, block_height: 6 },
    )
    await add('transactions', { ...row, txid: 'c', seq: 3, item_index: 2, state: 'sent' })
    await add('transactions', { ...row, txid: 'd', seq: 4, item_id: 'writing/queued' })
    await add('transactions', { ...row, txid: 'e', seq: 5, item_id: 'writing/queued', item_index: 1 })
    const publish = (id: string, height: number, txids = ['a', 'b']) =>
      batchIf(DB, publishChainItemStatements(DB, id, txids, height, 5))
    expect(await publish('writing/writing', 5)).toBe(false)
    expect(await publish('writing/queued', 6)).toBe(false)
    expect(await publish('writing/writing', 6, ['a', 'b', 'c'])).toBe(false)
    await DB.prepare("UPDATE writes SET transactions = 3 WHERE item_id = 'writing/writing'").run()
    expect(await publish('writing/writing', 6)).toBe(false)
    await DB.prepare("UPDATE writes SET transactions = 2 WHERE item_id = 'writing/writing'").run()
    const before = await paid()
    expect(await publish('writing/writing', 6)).toBe(true)
    expect(await paid()).toEqual({ ...before, 'writing/writing': 'stored/published' })
    expect(await read('item_txids', 'item_id', 'txids')).toEqual({ 'writing/writing': 'ab' })
    // A write goes on whose item does not: that one is left to the operator.
    await add('transactions', { ...row, txid: 'f', seq: 6, item_id: 'stopped/writing' })
    await add('transactions', { ...row, txid: 'g', seq: 7, item_id: 'stopped/writing', item_index: 1 })
    await publish('stopped/writing', 6, ['f', 'g'])
    expect(await paid()).toMatchObject({ 'stopped/writing': 'stopped/published' })
    expect(await list('events', 'subject')).toEqual(['writing/writing'])
  })
})

describe('uploads', () => {
  const item = (id: string, size = 5): NewItem => ({
    ...{
      id,
      userId: 'ada',
      folderId: null,
      name: id,
      mimetype: '',
      blockchain: 'Bitcoin',
      size,
      chunkSize: 1,
      chunks: 1,
    },
    createdAt: 5,
  })
  const insert = (ids: string[], unpaidItems: number, unpaidBytes: number) =>
    insertUploads(
      DB,
      'ada',
      ids.map((id) => item(id)),
      { unpaidItems, unpaidBytes },
    )

  it('are written all or not at all, up to what a user may have unpaid', async () => {
    await add('items', { id: 'bobs', user_id: 'bob', size: 99 }, { id: 'mine', size: 3 })
    expect(await insert(['a', 'b'], 2, 99)).toBe(false)
    expect(await insert(['a', 'b'], 9, 12)).toBe(false)
    expect(await list('items', 'id')).toEqual(['bobs', 'mine'])
    expect(await insert(['a', 'b'], 3, 13)).toBe(true)
    expect(await list('items', 'id')).toEqual(['a', 'b', 'bobs', 'mine'])
  })
})
