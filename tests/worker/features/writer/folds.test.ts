import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { selectComparedHeight } from '../../../../worker/chain/follower/blocks.ts'
import {
  endVoidFold,
  type Fold,
  foldStatements,
  postponeFoldStatement,
  selectFoldable,
  selectUnfoldedTxids,
} from '../../../../worker/features/items/sql/folds.ts'
import {
  deleteFoldedStatements,
  selectIsLeft,
  selectToFold,
} from '../../../../worker/features/transactions/sql/folded-transactions.ts'
import { batchIf } from '../../../../worker/platform/d1/guarded-batch.ts'
import { add, clear, list, read } from '../../rows.ts'

const { DB } = env
const TABLES = ['transaction_inputs', 'transactions', 'tx_chains', 'writes', 'payment_requests', 'item_txids', 'items']
beforeEach(() => clear(...TABLES, 'wallet_scans'))

it('transactions are folded up to the block to which the wallet of their own chain was searched for what left it', async () => {
  const known = { sends_known: 1 }
  await add(
    'wallet_scans',
    { blockchain: 'Bitcoin', hash: 'a', height: 5, ...known },
    { blockchain: 'Dogecoin', hash: 'b', height: 7, ...known },
    { blockchain: 'Nativecoin', hash: 'c', height: 9 },
  )
  const heights = [await selectComparedHeight(DB, 'Dogecoin'), await selectComparedHeight(DB, 'Nativecoin')]
  expect(heights).toEqual([7, undefined])
})

describe('a stored item', () => {
  const [A, B] = ['a'.repeat(64), 'b'.repeat(64)]
  const fold: Fold = {
    ...{ txids: A + B, count: 2, heights: '5,1,1,1', vsize: 2, fee: 2n, top: { height: 6, hash: 'h' } },
  }

  beforeEach(async () => {
    await add('payment_requests', { id: 'request', state: 'settled' })
    await add(
      'tx_chains',
      { id: 1, state: 'closed' },
      { id: 2, coin_vout: 1 },
      { id: 3, coin_vout: 2, state: 'closed' },
    )
    await add('tx_chains', { id: 1, blockchain: 'Dogecoin' })
    // Others are as it is, or folded: none stands in for it, or is changed with it.
    await add('items', { id: 'i' }, { id: 'alike' }, { id: 'folded' })
    await add('item_txids', { item_id: 'i', txids: A + B }, { item_id: 'alike', txids: A + B })
    await add('item_txids', { item_id: 'folded', txids: '' })
    await DB.prepare("UPDATE item_txids SET packed = zeroblob(64), heights = '' WHERE item_id = 'folded'").run()
    const done = { state: 'done', transactions: 2, fold_from: 7 }
    await add('writes', { item_id: 'i', ...done }, { item_id: 'alike', ...done })
    await add('writes', { item_id: 'index', state: 'done', index_of: 'alike', index_txid: 'x' })
    await add('writes', { item_id: 'folded', state: 'done' })
    const mined = { item_id: 'i', state: 'mined', block_hash: 'h' }
    await add('transactions', { ...mined, txid: A, item_index: 0, block_height: 5 })
    await add('transactions', { ...mined, txid: B, item_index: 1, seq: 1, block_height: 6 })
    const other = { item_id: 'alike', state: 'mined', block_height: 5, tx_chain: 3 }
    await add('transactions', { ...other, txid: 'c', item_index: 0 }, { ...other, txid: 'd', item_index: 1, seq: 1 })
    // What stands on none of its own.
    await add('transactions', { txid: 'of another', tx_chain: 2, seq: 2 }, { txid: A, seq: 2, blockchain: 'Dogecoin' })
    await add('transactions', { txid: 'dead', seq: 2, state: 'dead', dead: 1 })
    await add('transactions', {
      txid: 'dead own',
      item_id: 'i',
      item_index: 0,
      tx_chain: 2,
      seq: 9,
      state: 'dead',
      dead: 1,
    })
    const input = { blockchain: 'Bitcoin', prev_vout: 0 }
    const spent = ['of another', 'dead own', 'c'].map((txid) => ({ ...input, prev_txid: txid, txid }))
    await add('transaction_inputs', { ...input, prev_txid: 'p', txid: A }, ...spent)
    await add('transaction_inputs', { ...input, prev_txid: 'dog', txid: A, blockchain: 'Dogecoin' })
  })
  const rows = () => list('transactions', "blockchain || ' ' || txid")
  const OTHERS = ['Bitcoin c', 'Bitcoin d', 'Bitcoin dead', 'Bitcoin dead own', 'Bitcoin of another', `Dogecoin ${A}`]
  const SPENT = ['c', 'dead own', 'dog', 'of another']
  const foldIt = (given: Partial<Fold> = {}) => {
    const all = { ...fold, ...given }
    return batchIf(DB, [
      ...deleteFoldedStatements(DB, 'Bitcoin', { itemId: 'i', count: all.count }, 8),
      ...foldStatements(DB, 'Bitcoin', { itemId: 'i', from: 7, transactions: 2 }, all),
    ])
  }

  it('is folded with what it spends, and nothing else', async () => {
    expect((await selectToFold(DB, 'i')).map(({ txid }) => txid)).toEqual([A, B])
    expect(await selectUnfoldedTxids(DB, 'i')).toBe(A + B)
    expect(await foldIt()).toBe(true)
    expect([await rows(), await list('transaction_inputs', 'prev_txid')]).toEqual([OTHERS, SPENT])
    expect(await read('item_txids', 'item_id', "IFNULL(lower(hex(packed)), '') || txids")).toEqual({
      ...{ i: A + B, alike: A + B, folded: '0'.repeat(128) },
    })
    expect(await read('item_txids', 'item_id', 'packed IS NULL')).toEqual({ i: 0, alike: 1, folded: 0 })
    const ends = await read(
      'writes',
      'item_id',
      "IFNULL(fold_from, '') || ':' || IFNULL(folded_height || folded_hash, '')",
    )
    expect(ends).toEqual({ i: ':6h', alike: '7:', index: ':', folded: ':' })
    expect(await selectUnfoldedTxids(DB, 'folded')).toBeUndefined()
    expect(await selectUnfoldedTxids(DB, 'index')).toBe('x')
  })

  it.each([
    ['its write goes on again', "UPDATE writes SET state = 'writing'"],
    ['it waits for another block', 'UPDATE writes SET fold_from = 9'],
    ['it has another number of transactions', 'UPDATE writes SET transactions = 3'],
    ['it is on another chain', "UPDATE writes SET blockchain = 'Dogecoin'"],
    ['a reorganisation removed one from its block', "UPDATE transactions SET state = 'sent' WHERE item_index = 1"],
    ['one is in a later block', 'UPDATE transactions SET block_height = 9 WHERE item_index = 0'],
    ['one more was made', "UPDATE transactions SET item_id = 'i', item_index = 2 WHERE txid = 'of another'"],
    ['it has other txids', "UPDATE item_txids SET txids = replace(txids, 'a', 'c') WHERE item_id = 'i'"],
    ['it is folded already', "UPDATE item_txids SET packed = x'00' WHERE item_id = 'i'"],
  ])('is not folded where %s since it was read', async (_, change) => {
    const before = await rows()
    await DB.prepare(`${change}${change.includes('WHERE') ? '' : " WHERE item_id = 'i'"}`).run()
    expect(await foldIt()).toBe(false)
    expect([await rows(), await list('transaction_inputs', 'prev_txid')]).toEqual([before, [...SPENT, 'p']])
  })

  const BEHIND = "UPDATE transactions SET tx_chain = 1, seq = 2, state = 'mined', block_height"
  it.each([
    ['its tx chain was opened again', "UPDATE tx_chains SET state = 'open' WHERE id = 1"],
    ['what stands on it has no block', "UPDATE transactions SET tx_chain = 1 WHERE txid = 'of another'"],
    ['what stands on it is in a later block', `${BEHIND} = 9 WHERE txid = 'of another'`],
  ])('is not folded where %s', async (_, change) => {
    expect(await selectIsLeft(DB, 'i', 8)).toBe(true)
    await DB.prepare(change).run()
    expect([await selectIsLeft(DB, 'i', 8), await foldIt()]).toEqual([false, false])
  })

  it('is folded whose end is in a closed tx chain, or has one behind it that is deep', async () => {
    await DB.prepare(`${BEHIND} = 8 WHERE txid = 'of another'`).run()
    await DB.prepare("UPDATE tx_chains SET state = 'open'").run()
    expect(await foldIt()).toBe(true)
  })

  it.each(['z'.repeat(128), A])(
    'is not folded where its txids are not as many bytes as they should be',
    async (txids) => {
      await DB.prepare("UPDATE item_txids SET txids = ? WHERE item_id = 'i'").bind(txids).run()
      expect(await foldIt({ txids })).toBe(false)
      expect(await read('item_txids', 'item_id', 'txids')).toMatchObject({ i: txids })
    },
  )

  it('may be folded that has nothing left to do, those first that wait longest', async () => {
    const done = { state: 'done', transactions: 1, fold_from: 8 }
    await add('writes', { item_id: 'first', ...done, fold_from: 1 }, { item_id: 'j', ...done, state: 'published' })
    await add('writes', { item_id: 'k', ...done, fold_from: 9 }, { item_id: 'l', ...done, transactions: null })
    await add('writes', { item_id: 'm', ...done, blockchain: 'Dogecoin' }, { item_id: 'n', ...done, fold_from: null })
    const found = async (limit: number) => (await selectFoldable(DB, 'Bitcoin', 8, limit)).map(({ itemId }) => itemId)
    expect([(await found(9)).sort(), await found(1)]).toEqual([['alike', 'first', 'i'], ['first']])
  })

  it('is looked at again later, unless it is folded meanwhile', async () => {
    await add('writes', { item_id: 'other', state: 'done', fold_from: 3 })
    for (const id of ['i', 'folded']) await postponeFoldStatement(DB, id, 11).run()
    expect(await read('writes', 'item_id', 'fold_from')).toMatchObject({ folded: null, i: 11, other: 3 })
  })
})

it('an index is not folded that another one has replaced, if nothing of it is on the chain', async () => {
  await add('payment_requests', { id: 'request', state: 'settled' })
  await add('items', { id: 'i', index_txid: 'new' })
  const index = { state: 'done', index_of: 'i', index_txid: 'old', fold_from: 3 }
  await add('tx_chains', { id: 1 })
  await add('writes', { item_id: 'gone', ...index }, { item_id: 'sent', ...index }, { item_id: 'kept', ...index })
  await add('writes', { item_id: 'shown', ...index, index_txid: 'new' }, { item_id: 'x', ...index, index_of: null })
  await add('transactions', { txid: 'dead', item_id: 'gone', item_index: 0, state: 'dead', dead: 1 })
  await add('transactions', { txid: 'old', item_id: 'sent', item_index: 0, seq: 1 })
  const ended: string[] = []
  for (const id of ['gone', 'sent', 'shown', 'x']) if (await endVoidFold(DB, id)) ended.push(id)
  expect(ended).toEqual(['gone'])
  expect(await read('writes', 'item_id', 'fold_from')).toMatchObject({ gone: null, kept: 3, sent: 3, shown: 3, x: 3 })
})
