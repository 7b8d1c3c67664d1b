import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  publishIndexStatements,
  queueIndexStatements,
  selectIndexed,
  selectStoppedIndex,
  voidIndexStatement,
} from '../../../../../worker/features/items/sql/indexes.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, clear, list, read } from '../../../rows.ts'
import { prepareTables } from '../../transactions/sql/prepare-tables.ts'

const { DB } = env
beforeEach(async () => {
  await clear('item_txids')
  await prepareTables()
  await add('items', { id: 'i', status: 200, sha256: 'hash' }, { id: 'j', status: 200 })
  await add('writes', { item_id: 'j', state: 'done' }, { item_id: 'i', state: 'published', unbacked: 1 })
})
const states = () => read('writes', 'item_id', 'state')

describe('the index of an item', () => {
  const queue = (id = 'new') => DB.batch(queueIndexStatements(DB, { id, itemId: 'i', length: 40 }, 9, 5))

  it('is queued as its item was paid for, and is not shown before it is written', async () => {
    await DB.prepare("UPDATE items SET index_txid = 'old'").run()
    await queue()
    const columns =
      "blockchain || ' ' || request_id || ' ' || state || ' ' || unbacked || ' ' || data_bytes || ' ' || transactions"
    expect(await list("writes WHERE index_of = 'i'", `item_id || ' ' || ${columns}`)).toEqual([
      'new Bitcoin request queued 1 40 1',
    ])
    expect(await read('items', 'id', 'index_txid')).toEqual({ i: null, j: 'old' })
  })

  it('goes on where one with the same txids was written before, but for one that is folded, which is shown', async () => {
    const done = { state: 'done', index_of: 'i', fold_from: 3 }
    await add('writes', { item_id: 'new', ...done, index_txid: 'sent' }, { item_id: 'other', ...done, index_of: 'j' })
    await add('writes', { item_id: 'a', ...done, index_of: 'j', folded_height: 1, index_txid: 'of j' })
    await queue()
    expect(await read('writes', 'item_id', "state || IFNULL(fold_from, '')")).toMatchObject({
      ...{ new: 'writing', other: 'done3' },
    })
    expect(await read('items', 'id', 'index_txid')).toEqual({ i: null, j: null })
    await DB.prepare(
      "UPDATE writes SET state = 'done', folded_height = 4, index_txid = 'folded' WHERE item_id = 'new'",
    ).run()
    await queue()
    expect(await states()).toMatchObject({ new: 'done' })
    expect(await read('items', 'id', 'index_txid')).toEqual({ i: 'folded', j: null })
  })

  it('is left as it is where it is being written', async () => {
    await add('writes', { item_id: 'new', state: 'parked', index_of: 'i' })
    await queue()
    expect(await states()).toMatchObject({ new: 'parked' })
  })

  it('ends those with other txids; what was sent of these is folded in time', async () => {
    const writing = { state: 'writing', index_of: 'i' }
    const ids = ['sent', 'mined', 'signed', 'dead']
    await add('writes', ...ids.map((item_id) => ({ item_id, ...writing })), { item_id: 'x', ...writing, index_of: 'j' })
    await add('writes', { item_id: 'folded', ...writing, state: 'done', folded_height: 2, index_txid: 'f' })
    const state = (id: string) => (id === 'x' || id === 'folded' ? 'sent' : id)
    for (const [seq, id] of [...ids, 'x', 'folded'].entries())
      await add('transactions', {
        ...{ txid: `of ${id}`, item_id: id, item_index: 0, seq, state: state(id), dead: Number(id === 'dead') },
      })
    await queue()
    expect(
      await read('writes', 'item_id', "state || ' ' || IFNULL(index_txid, '') || ' ' || IFNULL(fold_from, '')"),
    ).toMatchObject({
      ...{ sent: 'done of sent 9', mined: 'done of mined 9', signed: 'done  ', dead: 'done  ' },
      ...{ x: 'writing  ', folded: 'done f ', new: 'queued  ' },
    })
  })

  it('is shown once its transaction is deep enough and its item is stored, and not otherwise', async () => {
    await add('writes', { item_id: 'new', state: 'writing', index_of: 'i', transactions: 1 })
    await add('transactions', { txid: 't', item_id: 'new', item_index: 0, state: 'mined', block_height: 9 })
    // None of these stands in for what its own lacks.
    await add('writes', { item_id: 'k', state: 'writing', index_of: 'j' })
    await add('transactions', { txid: 'deep', item_id: 'k', item_index: 0, seq: 1, state: 'mined', block_height: 1 })
    await add('transactions', {
      txid: 'dead',
      item_id: 'new',
      item_index: 0,
      seq: 2,
      state: 'dead',
      dead: 1,
      block_height: 1,
    })
    const publish = (txid = 't', itemId = 'i') =>
      batchIf(DB, publishIndexStatements(DB, { id: 'new', itemId, txid }, 9, 5))
    expect([await publish('deep'), await publish('dead'), await publish('t', 'j')]).toEqual([false, false, false])
    const changes = [
      [
        "UPDATE transactions SET block_height = 10 WHERE txid = 't'",
        "UPDATE transactions SET block_height = 9 WHERE txid = 't'",
      ],
      [
        "UPDATE transactions SET state = 'sent' WHERE txid = 't'",
        "UPDATE transactions SET state = 'mined' WHERE txid = 't'",
      ],
      [
        "UPDATE writes SET state = 'parked' WHERE item_id = 'new'",
        "UPDATE writes SET state = 'writing' WHERE item_id = 'new'",
      ],
      ["UPDATE items SET status = 409 WHERE id = 'i'", "UPDATE items SET status = 200 WHERE id = 'i'"],
    ]
    for (const [change = '', back = ''] of changes) {
      await DB.prepare(change).run()
      expect([change, await publish()]).toEqual([change, false])
      await DB.prepare(back).run()
    }
    expect(await publish()).toBe(true)
    expect(await read('items', 'id', "IFNULL(index_txid, '') || ' ' || updated_at")).toEqual({ i: 't 5', j: ' 0' })
    expect(await read('writes', 'item_id', "state || IFNULL(index_txid, '') || IFNULL(fold_from, '')")).toMatchObject({
      ...{ new: 'donet9', k: 'writing', i: 'published' },
    })
  })

  it('that is stopped is found by its id and by that of its item', async () => {
    expect(await selectStoppedIndex(DB, 'i')).toBeUndefined()
    await DB.prepare("UPDATE writes SET state = 'parked' WHERE item_id = 'i'").run()
    await add(
      'writes',
      { item_id: 'done', state: 'done', index_of: 'i' },
      { item_id: 'x', state: 'paused', index_of: 'j' },
    )
    expect(await selectStoppedIndex(DB, 'i')).toBeUndefined()
    await add('writes', { item_id: 'new', state: 'parked', index_of: 'i' })
    for (const id of ['i', 'new']) expect(await selectStoppedIndex(DB, id)).toEqual({ id: 'new', itemId: 'i' })
    expect(await selectStoppedIndex(DB, 'x')).toEqual({ id: 'x', itemId: 'j' })
    await voidIndexStatement(DB, 'new').run()
    expect(await states()).toMatchObject({ new: 'done', i: 'parked', x: 'paused' })
  })

  it('is made of a stored item whose hash is known: of a directory that of its content', async () => {
    await add('item_txids', { item_id: 'j', txids: 'b'.repeat(64) }, { item_id: 'i', txids: 'a'.repeat(64) })
    expect(await selectIndexed(DB, 'i')).toMatchObject({ sha256: 'hash', txids: ['a'.repeat(64)] })
    expect([await selectIndexed(DB, 'j'), await selectIndexed(DB, 'none')]).toEqual([undefined, undefined])
    await DB.prepare("UPDATE items SET directory_of = 'bafy', content_sha256 = 'content' WHERE id = 'i'").run()
    expect(await selectIndexed(DB, 'i')).toMatchObject({ sha256: 'content', directoryOf: 'bafy' })
    await DB.prepare("UPDATE items SET status = 202 WHERE id = 'i'").run()
    expect(await selectIndexed(DB, 'i')).toBeUndefined()
  })
})
