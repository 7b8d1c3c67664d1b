import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { selectItemTransactions } from '../../../../../worker/features/transactions/sql/item-transactions.ts'
import {
  assertNotSweptStatement,
  forgetBundlesStatement,
  insertBundleStatement,
  insertSweptBundles,
  selectFinalBundles,
} from '../../../../../worker/features/transactions/sql/signed-bytes.ts'
import {
  assertNeverSentStatement,
  countAttempts,
  markCheckedStatement,
  markDeadStatements,
  markMinedStatements,
  markSentStatement,
  markSpentOtherwiseStatement,
  selectItemIndexes,
  selectItemTxids,
  unmineTransactionsAboveStatements,
} from '../../../../../worker/features/transactions/sql/transaction-states.ts'
import {
  hasUnmined,
  insertTransactionsStatements,
  selectSpent,
  selectTxChainTips,
  selectUnmined,
} from '../../../../../worker/features/transactions/sql/transactions.ts'
import { selectUnsentInputs } from '../../../../../worker/features/transactions/sql/tx-chains.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, list, type Row, read } from '../../../rows.ts'
import { addTransactions, column, STATES } from './own-transactions.ts'
import { prepareTables } from './prepare-tables.ts'

const { DB } = env

beforeEach(prepareTables)

/** One in each state, and the same on another chain. */
async function addStates(given: Row = {}): Promise<void> {
  for (const blockchain of ['Bitcoin', 'Dogecoin']) {
    await addTransactions(...STATES.map((state) => ({ txid: state, state, blockchain, ...given })))
  }
}
const changed = async (name: string, from: unknown) =>
  Object.fromEntries(Object.entries(await column(name)).filter(([, value]) => value !== from))

describe('transactions', () => {
  it('count attempts, each of its own but those that were given up, which are not to be sent', async () => {
    await addStates()
    expect(await countAttempts(DB, 'Bitcoin', ['signed', 'mined', 'dead'])).toEqual(new Set(['signed', 'mined']))
    expect(await changed('attempts', 0)).toEqual({ signed: 1, mined: 1 })
  })

  it('fail a batch for which none may have been sent where an attempt of one was counted, on its chain', async () => {
    await addTransactions({ txid: 'a' }, { txid: 'b', attempts: 1 })
    await addTransactions({ txid: 'a', blockchain: 'Dogecoin', attempts: 1 })
    const areNeverSent = (...txids: string[]) => batchIf(DB, [assertNeverSentStatement(DB, 'Bitcoin', txids)])
    expect([await areNeverSent('a'), await areNeverSent('a', 'b')]).toEqual([true, false])
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

  it('have no block, be it one of them that lives', async () => {
    await addTransactions({ txid: 'other', blockchain: 'Dogecoin' }, { txid: 'dead', state: 'dead' })
    await addTransactions({ txid: 'mined', state: 'mined', block_height: 5 })
    expect(await hasUnmined(DB, 'Bitcoin')).toBe(false)
    await addTransactions({ txid: 'sent', state: 'sent' })
    expect(await hasUnmined(DB, 'Bitcoin')).toBe(true)
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
    // A payload before them is to be planned again already.
    await addTransactions({ txid: 'later', item_id: 'm', item_index: 4 })
    await add('writes', { item_id: 'm', next_index: 1 })
    const input = { blockchain: 'Bitcoin', prev_vout: 0 }
    await add('transaction_inputs', { ...input, prev_txid: 'p', txid: 'a' }, { ...input, prev_txid: 'q', txid: 'c' })
    await add('transaction_inputs', { ...input, blockchain: 'Dogecoin', prev_txid: 'p', txid: 'a' })
    const given = ['a', 'b', 'bump', 'later'].map((txid) => ({ txid, state: 'sent' as const }))
    await DB.batch(markDeadStatements(DB, 'Bitcoin', given))
    expect(await changed('state', 'sent')).toEqual({ a: 'dead', b: 'dead', bump: 'dead', later: 'dead' })
    expect(await list('transaction_inputs', 'blockchain || prev_txid')).toEqual(['Bitcoinq', 'Dogecoinp'])
    expect(await read('writes', 'item_id', 'next_index')).toEqual({ i: 2, j: 5, k: 5, l: 5, m: 1 })
  })

  it('are not given up where one is in a block, or was sent, since it was read', async () => {
    await addStates()
    const give = async (txid: string, state: 'signed' | 'sent') =>
      await batchIf(DB, markDeadStatements(DB, 'Bitcoin', [{ txid, state }]))
    expect([await give('mined', 'sent'), await give('sent', 'signed')]).toEqual([false, false])
    expect([await give('sent', 'sent'), await give('signed', 'signed')]).toEqual([true, true])
    await addTransactions({ txid: 'elsewhere', state: 'sent' })
    await addTransactions({ txid: 'elsewhere', state: 'mined', blockchain: 'Dogecoin' })
    expect(await give('elsewhere', 'sent')).toBe(true)
  })

  it('are recorded with what they spend, and come back to life when the same is signed again', async () => {
    const signed = {
      ...{
        txid: 'a',
        txChain: 1,
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

  it('without a block are read in the order of their tx chains', async () => {
    await addStates()
    expect((await selectUnmined(DB, 'Bitcoin')).map(({ txid }) => txid)).toEqual(['signed', 'sent'])
  })

  it('are the tip of an open tx chain that are its last', async () => {
    await add(
      'tx_chains',
      { id: 2, coin_txid: 'x' },
      { id: 3, coin_txid: 'y', state: 'closed' },
      { id: 4, coin_txid: 'z' },
    )
    await add('tx_chains', { id: 5, coin_txid: 'only dead' })
    await addTransactions({ txid: 'a', seq: 1 }, { txid: 'b', seq: 2 }, { txid: 'c', seq: 3, state: 'dead' })
    await addTransactions(
      { txid: 'd', tx_chain: 2, seq: 1 },
      { txid: 'e', tx_chain: 3, seq: 1 },
      { txid: 'f', tx_chain: 5, seq: 1, state: 'dead' },
    )
    await addTransactions(
      { txid: 'g', blockchain: 'Dogecoin', seq: 2 },
      { txid: 'h', tx_chain: 2, seq: 1, state: 'dead' },
    )
    expect((await selectTxChainTips(DB, 'Bitcoin')).map(({ txid }) => txid).sort()).toEqual(['b', 'd'])
  })

  it('say which outputs are spent, or tied to a withdrawal', async () => {
    const input = { blockchain: 'Bitcoin', prev_vout: 1, txid: 't' }
    await add('transaction_inputs', { ...input, prev_txid: 'p' }, { ...input, prev_txid: 'q' })
    await add('transaction_inputs', { ...input, prev_txid: 'r', blockchain: 'Dogecoin' })
    for (const state of ['waiting', 'sent', 'failed', 'confirmed']) {
      await add('withdrawals', { id: state, state, coin_txid: state, coin_vout: 0 })
    }
    await add('withdrawals', { id: 'none' }, { id: 'dog', blockchain: 'Dogecoin', coin_txid: 'dog', coin_vout: 0 })
    // Next in the tx chain of the same number, which is not that of its own chain.
    await addTransactions({ txid: 'd', blockchain: 'Dogecoin', seq: 8001, change_vout: 1 }, { txid: 'e', seq: 8002 })
    const found = await selectSpent(DB, 'Bitcoin', ['p', 'r', 'd'])
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

  it('not sent spend the change of the one before in their own tx chain', async () => {
    await add('tx_chains', { id: 2, coin_txid: 'another' })
    await addTransactions({ txid: 'before', seq: 900, state: 'sent', change_vout: 1 })
    await addTransactions({ txid: 'elsewhere', tx_chain: 2, seq: 900, state: 'sent', change_vout: 1 })
    await addTransactions({ txid: 'unsent', seq: 901, state: 'signed' })
    expect(await selectUnsentInputs(DB, 'Bitcoin')).toEqual([{ txid: 'before', vout: 1 }])
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
    for (const bundle of ['deep', 'mixed', 'dead', 'young', 'waits', 'both', 'folded'])
      await add('signed_bundles', { bundle, height: 4 })
    await add('signed_bundles', { bundle: 'recorded later', height: 6 })
    await add('signed_bundles', { bundle: 'of-dog', height: 4, blockchain: 'Dogecoin' })
    expect((await selectFinalBundles(DB, 'Bitcoin', 5, 9)).sort()).toEqual(['dead', 'deep', 'folded'])
    expect(await selectFinalBundles(DB, 'Bitcoin', 5, 1)).toHaveLength(1)
    await forgetBundlesStatement(DB, 'Bitcoin', 5, ['deep', 'dead', 'of-dog']).run()
    expect(await list('signed_bundles', 'bundle')).toEqual([
      ...['both', 'folded', 'mixed', 'of-dog', 'recorded later', 'waits', 'young'],
    ])
  })

  it('are recorded at the height to which their chain is followed, and at none before it is', async () => {
    await add('blocks', { height: 9, hash: 'x', blockchain: 'Dogecoin' })
    await insertBundleStatement(DB, 'Bitcoin', 'first').run()
    await add('blocks', { height: 5, hash: 'a' }, { height: 6, hash: 'b' })
    await insertBundleStatement(DB, 'Bitcoin', 'next').run()
    expect(await read('signed_bundles', 'bundle', 'height')).toEqual({ first: 0, next: 6 })
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
