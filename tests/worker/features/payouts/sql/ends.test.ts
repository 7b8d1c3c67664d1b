import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { selectDebited } from '../../../../../worker/features/payments/sql/ledger.ts'
import { tieToPayoutStatements } from '../../../../../worker/features/payouts/sql/tie-to-payouts.ts'
import {
  approveStatements,
  beginEndingStatements,
  clearEndingStatement,
  endUnsignedStatements,
  finishEndingStatements,
  noteReasonStatement,
  raiseFeeStatements,
  redirectEndingStatements,
  restoreFeeStatements,
  selectIsSigned,
} from '../../../../../worker/features/payouts/sql/withdrawal-ends.ts'
import { selectTxChainBeginning } from '../../../../../worker/features/transactions/sql/payout-transactions.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, clear, list, read } from '../../../rows.ts'

const { DB } = env
const coin = { txid: 'c', vout: 1, value: 9n, script: '51' }
const tied = { coin_txid: 'c', coin_vout: 1, coin_value: '9', coin_script: '51' }
const STATES = ['waiting', 'held', 'failed', 'sent', 'confirmed', 'cancelled', 'refunded', 'paid_elsewhere']

beforeEach(() => clear('transactions', 'tx_chains', 'withdrawals', 'failed_records', 'ledger'))

/** In which states a withdrawal is changed by statements that guard themselves. */
async function changedIn(row: object, statements: (id: string) => D1PreparedStatement[]): Promise<string[]> {
  await add('withdrawals', ...STATES.map((state) => ({ ...row, id: state, state })))
  const changed: string[] = []
  for (const id of STATES) if (await batchIf(DB, statements(id))) changed.push(id)
  return changed
}

describe('a withdrawal for which nothing was signed', () => {
  const end = (id: string) => batchIf(DB, endUnsignedStatements(DB, id, 'cancelled'))

  it('ends at once while it is not sent', async () => {
    expect(await changedIn({}, (id) => endUnsignedStatements(DB, id, 'cancelled'))).toEqual([
      ...['waiting', 'held', 'failed'],
    ])
  })

  it('is none that has a coin, ends already, or ever had a transaction', async () => {
    await add(
      'withdrawals',
      { id: 'free' },
      { id: 'tied', ...tied },
      { id: 'ends', ending: 'refunded' },
      { id: 'dead' },
    )
    await add('tx_chains', { id: 1 })
    await add('transactions', { txid: 'a', withdrawal_id: 'dead', state: 'dead', dead: 1 })
    for (const id of ['free', 'tied', 'ends', 'dead', 'nobody'])
      expect([id, await selectIsSigned(DB, id)]).toEqual([id, id !== 'free'])
    for (const id of ['tied', 'ends', 'dead']) expect([id, await end(id)]).toEqual([id, false])
    expect(await end('free')).toBe(true)
  })

  it('waits for no operator any more once it is over, whatever the node refused of others', async () => {
    await add('withdrawals', { id: 'a', reason: 'why', since: 3 })
    const refused = { id: 'a', kind: 'refused' }
    await add('failed_records', refused, { ...refused, id: 'b' }, { ...refused, kind: 'item' })
    await add('failed_records', { ...refused, blockchain: 'Dogecoin' })
    await end('a')
    expect(await list('failed_records', 'blockchain || kind || id')).toEqual([
      'Bitcoinitema',
      'Bitcoinrefusedb',
      'Dogecoinrefuseda',
    ])
    expect(await list('withdrawals', "state || ' ' || (reason IS NULL AND since IS NULL)")).toEqual(['cancelled 1'])
  })
})

describe('a withdrawal for which something was signed', () => {
  const ending = { ending: 'refunded', reason: 'its coin is brought back' } as const
  const begin = (id: string) => beginEndingStatements(DB, id, ending, 5)

  it('begins to end while it is neither held nor over, once', async () => {
    expect(await changedIn(tied, begin)).toEqual(['waiting', 'failed', 'sent'])
    expect(await batchIf(DB, begin('sent'))).toBe(false)
    expect(await read('withdrawals', 'id', 'state')).toMatchObject({ failed: 'waiting', sent: 'sent' })
  })

  it('is looked for anew when it begins to end', async () => {
    await add(
      'withdrawals',
      { id: 'a', ...tied, back_tx_chain: 3, back_height: 4, spent_height: 5 },
      { id: 'unsigned' },
    )
    expect([await batchIf(DB, begin('a')), await batchIf(DB, begin('unsigned'))]).toEqual([true, false])
    for (const column of ['back_tx_chain', 'back_height', 'spent_height'])
      expect(await list('withdrawals', column)).toEqual([null, null])
  })

  it('ends as it was to end, and not otherwise', async () => {
    await add('withdrawals', { id: 'a', ...tied, ending: 'refunded' }, { id: 'b', ...tied })
    expect(await batchIf(DB, finishEndingStatements(DB, 'a', 'paid_elsewhere'))).toBe(false)
    expect(await batchIf(DB, finishEndingStatements(DB, 'b', 'refunded'))).toBe(false)
    expect(await batchIf(DB, finishEndingStatements(DB, 'a', 'refunded'))).toBe(true)
    expect(await read('withdrawals', 'id', "state || ' ' || IFNULL(ending, '')")).toEqual({
      a: 'refunded ',
      b: 'waiting ',
    })
  })

  it('ends otherwise only where it waits for what an operator has answered', async () => {
    await add('withdrawals', { id: 'a', ending: 'refunded', reason: 'asked' }, { id: 'b', reason: 'asked' })
    const redirect = (id: string, was: string) =>
      batchIf(DB, redirectEndingStatements(DB, id, was, { ending: 'paid_elsewhere', reason: 'said' }, 5))
    expect([await redirect('a', 'else'), await redirect('b', 'asked'), await redirect('a', 'asked')]).toEqual([
      ...[false, false, true],
    ])
    expect(await read('withdrawals', 'id', 'ending')).toEqual({ a: 'paid_elsewhere', b: null })
  })

  it('is on its way again where it was paid meanwhile, and another keeps what it waits for', async () => {
    await add('withdrawals', { id: 'a', ending: 'refunded', reason: 'x' }, { id: 'b', ending: 'refunded', reason: 'x' })
    await add('withdrawals', { id: 'c', reason: 'fees' })
    for (const id of ['a', 'c']) await clearEndingStatement(DB, id).run()
    expect(await read('withdrawals', 'id', "IFNULL(ending, '') || ' ' || IFNULL(reason, '')")).toEqual({
      ...{ a: ' ', b: 'refunded x', c: ' fees' },
    })
  })

  it('says why it has not ended yet, since that is so', async () => {
    await add('withdrawals', { id: 'a', ending: 'refunded' }, { id: 'b' })
    for (const [id, now] of [
      ['a', 5],
      ['a', 6],
      ['b', 7],
    ] as const)
      await noteReasonStatement(DB, id, 'why', now).run()
    expect(await read('withdrawals', 'id', 'since')).toEqual({ a: 5, b: null })
  })

  it('is taken for paid by a lost payout while it is not over and nothing else of it lives', async () => {
    const paid = (id: string) => tieToPayoutStatements(DB, id, coin, 5)
    expect(await changedIn({}, paid)).toEqual(['waiting', 'held', 'failed', 'sent'])
    await add('withdrawals', { id: 'live' }, { id: 'dead' })
    await add('tx_chains', { id: 1 })
    await add('transactions', { txid: 'a', withdrawal_id: 'live', state: 'signed' })
    await add('transactions', { txid: 'b', withdrawal_id: 'dead', state: 'dead', dead: 1, seq: 1 })
    expect([await batchIf(DB, paid('live')), await batchIf(DB, paid('dead'))]).toEqual([false, true])
  })
})

describe('a withdrawal that is held', () => {
  it('is approved, and no other', async () => {
    expect(await changedIn({}, (id) => approveStatements(DB, id))).toEqual(['held'])
    expect(await read('withdrawals', 'id', "state || ' ' || approved")).toMatchObject({
      ...{ held: 'waiting 1', failed: 'failed 0', waiting: 'waiting 0' },
    })
  })
})

describe('the fee of a withdrawal', () => {
  const raised = { was: 1n, fee: 4n, feeRate: 3n }

  it('is raised by consent while it is not over, from what it was', async () => {
    expect(await changedIn({}, (id) => raiseFeeStatements(DB, id, raised))).toEqual([
      ...['waiting', 'held', 'failed', 'sent'],
    ])
    expect(await batchIf(DB, raiseFeeStatements(DB, 'sent', raised))).toBe(false)
    await add('withdrawals', { id: 'ends', ending: 'refunded' })
    expect(await batchIf(DB, raiseFeeStatements(DB, 'ends', raised))).toBe(false)
    expect(await read('withdrawals', 'id', "fee || ' ' || fee_rate")).toMatchObject({ ends: '1 1', sent: '4 3' })
  })

  it('is raised to what a restore has lost in any state, from what it was, once', async () => {
    expect(await changedIn({}, (id) => restoreFeeStatements(DB, id, raised))).toEqual(STATES)
    expect(await batchIf(DB, restoreFeeStatements(DB, 'sent', raised))).toBe(false)
  })

  it('is debited with all that its owner consented to, and of no other, on its chain', async () => {
    const causes = ['withdrawal:w', 'withdrawal-fee:w', 'withdrawal-fee:w:7', 'withdrawal:w2', 'withdrawal-fee:w2:1']
    const others = ['withdrawal-refund:x', 'manual:w', 'request:w']
    const entries = [...causes, ...others].map((cause, n) => ({ seq: n + 1, amount: String(-(10 ** n)), cause }))
    await add('ledger', ...entries)
    await add('ledger', { blockchain: 'Dogecoin', seq: 1, amount: '-1', cause: 'withdrawal:w' })
    expect(await selectDebited(DB, { id: 'w', userId: 'ada', blockchain: 'Bitcoin' })).toBe(111n)
  })
})

describe('the beginning of a tx chain', () => {
  it('is its live first transaction, on its chain', async () => {
    await add('tx_chains', { id: 1 }, { id: 2, coin_vout: 1 }, { id: 1, blockchain: 'Dogecoin' })
    const row = { tx_chain: 1, block_hash: 'x', state: 'mined' }
    await add('transactions', { ...row, txid: 'dead', state: 'dead', dead: 1, block_hash: null })
    await add('transactions', { ...row, txid: 'other', tx_chain: 2, block_height: 3 })
    await add('transactions', { ...row, txid: 'dog', blockchain: 'Dogecoin', block_height: 4 })
    await add('transactions', { ...row, txid: 'next', seq: 1, block_height: 5 })
    expect(await selectTxChainBeginning(DB, 'Bitcoin', 1)).toBeUndefined()
    await add('transactions', { ...row, txid: 'first', block_height: 6 })
    expect(await selectTxChainBeginning(DB, 'Bitcoin', 1)).toEqual({ blockHeight: 6 })
  })
})
