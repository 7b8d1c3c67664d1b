import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { selectUntiedByScript } from '../../../../../worker/features/payouts/sql/tie-to-payouts.ts'
import { returnToWalletStatements } from '../../../../../worker/features/payouts/sql/withdrawal-ends.ts'
import {
  clearReasonsStatement,
  noteStoppedStatement,
  noteWaitingStatement,
} from '../../../../../worker/features/payouts/sql/withdrawal-reasons.ts'
import {
  assertFewWithdrawalsStatement,
  assertNewestWithdrawalStatement,
  confirmWithdrawalStatements,
  deleteOutdatedFailuresStatements,
  failWithdrawalStatements,
  markWithdrawalSentStatements,
  retryWithdrawalStatements,
  selectAcceptedPayouts,
  selectConfirmedPayouts,
  selectNewestWithdrawal,
  selectOpenStatement,
  selectReserved,
  selectTiedCoins,
  selectUnsigned,
  selectWaitingCount,
  selectWithdrawals,
  selectWithdrawalsById,
  tieWithdrawalStatements,
} from '../../../../../worker/features/payouts/sql/withdrawals.ts'
import {
  reviveTransactionStatement,
  selectDeadTransactions,
  selectTransactionsOf,
} from '../../../../../worker/features/transactions/sql/payout-transactions.ts'
import { selectPromisedPayouts } from '../../../../../worker/features/transactions/sql/promises.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, addMany, clear, count, list, type Row, read } from '../../../rows.ts'

const { DB } = env
const STATES = ['waiting', 'sent', 'confirmed', 'failed']
let seq = 0
const addTransactions = (...rows: Row[]) => add('transactions', ...rows.map((row) => ({ seq: ++seq, ...row })))
const states = () => read('withdrawals', 'id', 'state')
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

beforeEach(async () => {
  await clear('events', 'transactions', 'tx_chains', 'withdrawals')
  await add('tx_chains', { id: 1 }, { id: 1, blockchain: 'Dogecoin' })
  await add('withdrawals', ...STATES.map((state, n) => ({ id: state, state, created_at: n, amount: '5', fee: '2' })))
  await add('withdrawals', { id: 'bobs', user_id: 'bob' }, { id: 'dog', blockchain: 'Dogecoin', created_at: 9 })
})

describe('withdrawals that a transaction may have paid', () => {
  it('are those to its scripts that are not sent and tied to no coin, the longest waiting first', async () => {
    await DB.prepare("UPDATE withdrawals SET script = 'a'").run()
    await add('withdrawals', { id: 'held', state: 'held', script: 'b' }, { id: 'other', script: 'c' })
    await add('withdrawals', { id: 'tied', script: 'a', coin_txid: 'p' })
    const older = { waiting: 5, held: 4, failed: 3, bobs: 2 }
    for (const [id, at] of Object.entries(older))
      await DB.prepare('UPDATE withdrawals SET created_at = ? WHERE id = ?').bind(at, id).run()
    const found = ids(await selectUntiedByScript(DB, 'Bitcoin', ['a', 'b']))
    expect(found).toEqual(['bobs', 'failed', 'held', 'waiting'])
    for (const id of ['bobs', 'held'])
      await DB.prepare('UPDATE withdrawals SET created_at = 9 - created_at WHERE id = ?').bind(id).run()
    expect(ids(await selectUntiedByScript(DB, 'Bitcoin', ['a', 'b']))).toEqual(['failed', 'held', 'waiting', 'bobs'])
  })

  it('are at most a hundred', async () => {
    await addMany('withdrawals', 101, { id: 'n', script: "'a'" })
    expect(await selectUntiedByScript(DB, 'Bitcoin', ['a'])).toHaveLength(100)
  })
})

describe('the withdrawals of a user', () => {
  it('are so many that wait, or failed', async () => {
    expect(await selectWaitingCount(DB, 'ada')).toBe(3)
    expect(await selectWaitingCount(DB, 'eve')).toBe(0)
    expect(await batchIf(DB, [assertFewWithdrawalsStatement(DB, 'ada', 3)])).toBe(false)
    expect(await batchIf(DB, [assertFewWithdrawalsStatement(DB, 'ada', 4)])).toBe(true)
    expect(await selectReserved(DB, 'ada')).toEqual(
      new Map([
        ['Bitcoin', 14n],
        ['Dogecoin', 2n],
      ]),
    )
  })

  it('are listed with the transaction that lives, the newest first, a page at a time', async () => {
    await addTransactions(
      { txid: 'a', withdrawal_id: 'sent', state: 'dead' },
      { txid: 'b', withdrawal_id: 'sent', state: 'mined', block_height: 5 },
    )
    await addTransactions(
      { txid: 'c', withdrawal_id: 'failed' },
      { txid: 'd', withdrawal_id: 'waiting', state: 'signed' },
    )
    const page = async (limit: number, after?: { createdAt: number; id: string }) =>
      (await selectWithdrawals(DB, { userId: 'ada', after, limit })).map(({ id, txid, blockHeight }) => [
        id,
        txid,
        blockHeight,
      ])
    expect(await page(9)).toEqual([
      ['dog', undefined, undefined],
      ['failed', 'c', undefined],
      ['confirmed', undefined, undefined],
      ['sent', 'b', 5],
      ['waiting', undefined, undefined],
    ])
    expect(await page(1, { createdAt: 9, id: 'dog' })).toEqual([['failed', 'c', undefined]])
    expect(await page(9, { createdAt: 1, id: 'sent' })).toEqual([['waiting', undefined, undefined]])
  })
})

describe('withdrawals without a live transaction', () => {
  beforeEach(async () => {
    await add(
      'withdrawals',
      { id: 'dead', created_at: 5, coin_txid: 'p', coin_vout: 1, coin_value: '1' },
      { id: 'signed', coin_txid: 'q', coin_vout: 0, coin_value: '1' },
    )
    await addTransactions(
      { txid: 'a', withdrawal_id: 'dead', state: 'dead' },
      { txid: 'b', withdrawal_id: 'signed', state: 'signed' },
    )
    await addTransactions({ txid: 'c', withdrawal_id: 'bobs', state: 'mined' })
  })

  it('are to have one, the longest waiting first', async () => {
    expect(ids(await selectUnsigned(DB, 'Bitcoin', 9))).toEqual(['waiting', 'sent', 'dead'])
    expect(ids(await selectUnsigned(DB, 'Bitcoin', 1))).toEqual(['waiting'])
    expect(ids(await selectUnsigned(DB, 'Bitcoin', 9, 'dead'))).toEqual(['dead', 'sent', 'waiting'])
    expect(ids(await selectUnsigned(DB, 'Bitcoin', 1, 'e'))).toEqual(['sent'])
  })

  it('keep their coins', async () => {
    for (const id of [...STATES, 'dog'])
      await DB.prepare('UPDATE withdrawals SET coin_txid = id, coin_vout = 0 WHERE id = ?').bind(id).run()
    await add('withdrawals', { id: 'untied' })
    expect((await selectTiedCoins(DB, 'Bitcoin')).map(({ txid }) => txid).sort()).toEqual([
      'failed',
      'p',
      'sent',
      'waiting',
    ])
    await clear('transactions', 'withdrawals')
    await addMany('withdrawals', 1_001, { state: "'failed'", coin_txid: 'n', coin_vout: '0' })
    expect(await selectTiedCoins(DB, 'Bitcoin')).toHaveLength(1_000)
  })

  it('take so much out of the wallet beside their coins, to the last unit of large amounts', async () => {
    // Three times 5 and 2; and 1 of 1 and 1, of which a coin covers the other.
    expect(await selectPromisedPayouts(DB, 'Bitcoin')).toBe(22n)
    await DB.prepare("UPDATE withdrawals SET amount = '4999999999999999999' WHERE id IN ('waiting', 'failed')").run()
    expect(await selectPromisedPayouts(DB, 'Bitcoin')).toBe(2n * 5_000_000_000_000_000_001n + 8n)
    await DB.prepare("UPDATE withdrawals SET coin_value = '9' WHERE id = 'dead'").run()
    expect(await selectPromisedPayouts(DB, 'Bitcoin')).toBe(2n * 5_000_000_000_000_000_001n + 7n)
    expect(await selectPromisedPayouts(DB, 'Nativecoin')).toBe(0n)
  })

  it('take it out of the wallet while they are held, too', async () => {
    const before = await selectPromisedPayouts(DB, 'Bitcoin')
    await add('withdrawals', { id: 'one more', state: 'held', amount: '30', fee: '4' })
    expect(await selectPromisedPayouts(DB, 'Bitcoin')).toBe(before + 34n)
  })
})

describe('a withdrawal', () => {
  const coin = (txid: string, vout: number) => ({ txid, vout, value: 9n, script: 's' })
  const each = async (act: (id: string) => Promise<boolean>) => {
    const done: string[] = []
    for (const id of STATES) if (await act(id)) done.push(id)
    return done
  }

  it('is on its way until it is confirmed', async () => {
    const open = async () => (await selectOpenStatement(DB, 'Bitcoin').all()).results.length
    await DB.prepare("DELETE FROM withdrawals WHERE id = 'bobs'").run()
    for (const id of ['waiting', 'sent', 'failed']) {
      expect(await open()).toBe(1)
      await DB.prepare('DELETE FROM withdrawals WHERE id = ?').bind(id).run()
    }
    expect(await open()).toBe(0)
  })

  it('is found by its id', async () => {
    expect(ids(await selectWithdrawalsById(DB, ['sent', 'bobs', 'none'])).sort()).toEqual(['bobs', 'sent'])
  })

  it('is tied to one coin for ever', async () => {
    expect(await each((id) => batchIf(DB, tieWithdrawalStatements(DB, id, coin('p', 0), 0)))).toEqual([
      'waiting',
      'sent',
    ])
    expect(await batchIf(DB, tieWithdrawalStatements(DB, 'waiting', coin('p', 1), 0))).toBe(false)
    expect(await batchIf(DB, tieWithdrawalStatements(DB, 'waiting', coin('q', 0), 0))).toBe(false)
    expect(await batchIf(DB, tieWithdrawalStatements(DB, 'waiting', coin('p', 0), 0))).toBe(true)
    expect(await read('withdrawals', 'id', 'coin_txid || coin_vout')).toEqual({
      ...{ bobs: null, confirmed: null, dog: null, failed: null, sent: 'p0', waiting: 'p0' },
    })
  })

  it('is not signed any more that is to end', async () => {
    await add('withdrawals', { id: 'ending', ending: 'refunded' })
    expect(await batchIf(DB, tieWithdrawalStatements(DB, 'ending', coin('p', 0), 0))).toBe(false)
    await DB.prepare("UPDATE withdrawals SET ending = NULL WHERE id = 'ending'").run()
    expect(await batchIf(DB, tieWithdrawalStatements(DB, 'ending', coin('p', 0), 0))).toBe(true)
  })

  it('counts with what was paid out from when it was first tied, however often it is signed', async () => {
    for (const at of [5, 9]) await batchIf(DB, tieWithdrawalStatements(DB, 'waiting', coin('p', 0), at))
    expect((await read('withdrawals', 'id', 'released_at')).waiting).toBe(5)
  })

  it('says what it waits for, until it has a coin', async () => {
    for (const id of STATES) await noteWaitingStatement(DB, id, 'why', 0).run()
    const none = { bobs: null, confirmed: null, dog: null, failed: null, sent: null, waiting: null }
    expect(await read('withdrawals', 'id', 'reason')).toEqual({ ...none, waiting: 'why', sent: 'why' })
    await batchIf(DB, tieWithdrawalStatements(DB, 'waiting', coin('p', 0), 0))
    expect(await read('withdrawals', 'id', 'reason')).toEqual({ ...none, sent: 'why' })
  })

  it('says since when, for as long as that is the reason', async () => {
    for (const [why, at] of [
      ['a', 1],
      ['a', 2],
      ['b', 3],
    ] as const) {
      await noteWaitingStatement(DB, 'waiting', why, at).run()
      expect((await read('withdrawals', 'id', "reason || ' ' || since")).waiting).toBe(why === 'a' ? 'a 1' : 'b 3')
    }
  })

  it('that ends says when its coin is brought back, no more what it waited for before', async () => {
    await add('withdrawals', { id: 'ending', ending: 'refunded', reason: 'items', since: 1 })
    for (const now of [7, 9]) {
      const back = { txChain: 1, height: 5, reason: 'it is brought back' }
      expect(await batchIf(DB, returnToWalletStatements(DB, 'ending', back, now))).toBe(true)
      expect((await read('withdrawals', 'id', "reason || ' ' || since")).ending).toBe('it is brought back 7')
    }
    const none = { txChain: 1, height: 5, reason: 'none' }
    expect(await batchIf(DB, returnToWalletStatements(DB, 'waiting', none, 9))).toBe(false)
  })

  describe('with a transaction', () => {
    const reasons = async () =>
      Object.entries(await read('withdrawals', 'id', 'reason')).flatMap(([id, why]) => (why ? id : []))
    beforeEach(async () => {
      await clear('withdrawals', 'failed_records')
      const rows = ['unsigned', 'untried', 'tried', 'accepted', 'refused'].map((id) => ({ id }))
      await add('withdrawals', ...rows, { id: 'dead', state: 'sent' }, { id: 'ending', ending: 'refunded' })
      const transaction = (id: string, state: string, attempts: number) => ({
        txid: id,
        withdrawal_id: id,
        state,
        attempts,
      })
      await addTransactions(
        transaction('untried', 'signed', 0),
        transaction('tried', 'signed', 1),
        transaction('accepted', 'sent', 1),
        transaction('refused', 'signed', 0),
        transaction('dead', 'dead', 1),
        transaction('ending', 'sent', 1),
      )
      await add('failed_records', { kind: 'refused', id: 'refused' }, { kind: 'withdrawal', id: 'accepted' })
    })

    it('waits for payouts to resume that was never sent, and is neither held, failed, over nor to end', async () => {
      await add('withdrawals', ...['held', 'failed', 'cancelled'].map((id) => ({ id, state: id })))
      await add('withdrawals', { id: 'to end', ending: 'refunded' })
      await noteStoppedStatement(DB, 'Dogecoin', 'stopped', 5).run()
      expect(await reasons()).toEqual([])
      await noteStoppedStatement(DB, 'Bitcoin', 'stopped', 5).run()
      await noteStoppedStatement(DB, 'Bitcoin', 'stopped', 6).run()
      expect(await reasons()).toEqual(['dead', 'unsigned', 'untried'])
      expect(await list('withdrawals WHERE since IS NOT NULL', 'since')).toEqual([5, 5, 5])
    })

    it('waits for nothing more, unless the node refuses it, or payouts are stopped and it was never sent', async () => {
      await DB.prepare("UPDATE withdrawals SET reason = 'why'").run()
      await clearReasonsStatement(DB, 'Dogecoin', false).run()
      expect(await reasons()).toHaveLength(7)
      await clearReasonsStatement(DB, 'Bitcoin', true).run()
      expect(await reasons()).toEqual(['dead', 'ending', 'refused', 'unsigned', 'untried'])
      await clearReasonsStatement(DB, 'Bitcoin', false).run()
      expect(await reasons()).toEqual(['dead', 'ending', 'refused', 'unsigned'])
    })
  })

  it('is the newest of all, for whom asks whether another came', async () => {
    const newest = await selectNewestWithdrawal(DB)
    expect(await batchIf(DB, [assertNewestWithdrawalStatement(DB, newest)])).toBe(true)
    await add('withdrawals', { id: 'later' })
    expect(await batchIf(DB, [assertNewestWithdrawalStatement(DB, newest)])).toBe(false)
    expect(await selectNewestWithdrawal(DB)).toBe(newest + 1)
    await clear('withdrawals')
    expect(await selectNewestWithdrawal(DB)).toBe(0)
    expect(await batchIf(DB, [assertNewestWithdrawalStatement(DB, 0)])).toBe(true)
  })

  it('fails that waits or was sent, and is tried again that failed', async () => {
    await clear('events')
    const event = { userId: 'ada', type: 'withdrawal.failed', data: '{}', at: 0 } as const
    for (const id of STATES) {
      const failed = { reason: 'why', event: { ...event, subject: id } }
      await DB.batch(failWithdrawalStatements(DB, id, failed, 0))
    }
    expect(await list('events', 'subject')).toEqual(['sent', 'waiting'])
    expect(await states()).toEqual({
      ...{
        bobs: 'waiting',
        confirmed: 'confirmed',
        dog: 'waiting',
        failed: 'failed',
        sent: 'failed',
        waiting: 'failed',
      },
    })
    expect(await read('withdrawals', 'id', 'reason')).toMatchObject({ waiting: 'why', failed: null, bobs: null })
    expect(await batchIf(DB, retryWithdrawalStatements(DB, 'sent'))).toBe(true)
    expect(await batchIf(DB, retryWithdrawalStatements(DB, 'sent'))).toBe(false)
    expect(await batchIf(DB, retryWithdrawalStatements(DB, 'confirmed'))).toBe(false)
    expect(await states()).toMatchObject({
      confirmed: 'confirmed',
      failed: 'failed',
      sent: 'waiting',
      waiting: 'failed',
    })
    expect(await read('withdrawals', 'id', 'reason')).toMatchObject({ waiting: 'why', sent: null })
  })

  it('is taken for sent when the node has taken its transaction', async () => {
    await addTransactions(
      { txid: 'a', withdrawal_id: 'waiting' },
      { txid: 'b', withdrawal_id: 'failed', state: 'mined' },
    )
    await addTransactions({ txid: 'c', withdrawal_id: 'bobs', state: 'signed' }, { txid: 'd', withdrawal_id: 'sent' })
    await addTransactions(
      { txid: 'e', withdrawal_id: 'dog', blockchain: 'Dogecoin' },
      { txid: 'f', withdrawal_id: 'bobs', state: 'dead' },
    )
    const taken = await selectAcceptedPayouts(DB, 'Bitcoin')
    expect(taken.map(({ id, txid }) => id + txid).sort()).toEqual(['failedb', 'waitinga'])
    expect(await each((id) => batchIf(DB, markWithdrawalSentStatements(DB, id)))).toEqual(['waiting', 'failed'])
    expect(await states()).toMatchObject({ waiting: 'sent', failed: 'sent', bobs: 'waiting', confirmed: 'confirmed' })
  })

  it('is taken for sent with twenty in a step', async () => {
    await clear('withdrawals')
    await addMany('withdrawals', 21)
    await addMany('transactions', 21, { seq: '1000 + n', withdrawal_id: 'n' })
    expect(await selectAcceptedPayouts(DB, 'Bitcoin')).toHaveLength(20)
  })

  it('is confirmed that was sent, when its transaction is deep enough', async () => {
    await add('withdrawals', ...['young', 'signed', 'dead'].map((id) => ({ id, state: 'sent' })), {
      id: 'dogs',
      state: 'sent',
      blockchain: 'Dogecoin',
    })
    const mined = { state: 'mined', block_height: 5 }
    for (const withdrawal_id of STATES) await addTransactions({ ...mined, txid: withdrawal_id, withdrawal_id })
    await addTransactions({ ...mined, txid: 'y', withdrawal_id: 'young', block_height: 6 })
    await addTransactions(
      { ...mined, txid: 's', withdrawal_id: 'signed', state: 'sent' },
      { ...mined, txid: 'x', withdrawal_id: 'dogs', blockchain: 'Dogecoin' },
    )
    expect((await selectConfirmedPayouts(DB, 'Bitcoin', 5)).map(({ id, txid }) => id + txid)).toEqual(['sentsent'])
    const ids = [...STATES, 'young', 'signed', 'dead'].filter((id) => id !== 'confirmed')
    for (const id of ids) await batchIf(DB, confirmWithdrawalStatements(DB, id, 5))
    expect(await states()).toMatchObject({
      ...{
        sent: 'confirmed',
        waiting: 'waiting',
        failed: 'failed',
        young: 'sent',
        signed: 'sent',
        dead: 'sent',
        dogs: 'sent',
      },
    })
  })

  it('is confirmed with twenty in a step', async () => {
    await clear('withdrawals')
    await addMany('withdrawals', 21, { state: "'sent'" })
    await addMany('transactions', 21, { seq: '1000 + n', withdrawal_id: 'n', state: "'mined'", block_height: '5' })
    expect(await selectConfirmedPayouts(DB, 'Bitcoin', 5)).toHaveLength(20)
  })

  it('that is confirmed has nothing left that the node refuses, whoever mined it', async () => {
    await clear('failed_records')
    const refused = STATES.map((id) => ({ id, kind: 'refused' }))
    await add(
      'failed_records',
      ...refused,
      { id: 'confirmed', kind: 'refused', blockchain: 'Dogecoin' },
      { id: 'confirmed' },
    )
    await add('failed_records', { id: 'item', kind: 'refused' }, { id: 'mined', kind: 'refused' })
    await add('withdrawals', { id: 'mined', state: 'sent' })
    await addTransactions({ txid: 'mined', withdrawal_id: 'mined', state: 'mined', block_height: 1 })
    await DB.batch(deleteOutdatedFailuresStatements(DB, 'Bitcoin'))
    expect(await list('failed_records', "blockchain || ' ' || kind || ' ' || id")).toEqual([
      ...['Bitcoin item confirmed', 'Bitcoin refused failed', 'Bitcoin refused item', 'Bitcoin refused sent'],
      ...['Bitcoin refused waiting', 'Dogecoin refused confirmed'],
    ])
    await clear('failed_records')
  })

  it('that is neither to be signed nor to end any more has no record of why it could not', async () => {
    await clear('failed_records', 'transactions')
    await add('withdrawals', { id: 'ending', state: 'sent', ending: 'refunded' }, { id: 'paid', state: 'sent' })
    await add('failed_records', ...[...STATES, 'ending', 'paid', 'gone'].map((id) => ({ id, kind: 'withdrawal' })))
    await add('failed_records', { id: 'confirmed', kind: 'withdrawal', blockchain: 'Dogecoin' })
    for (const id of ['ending', 'paid']) await addTransactions({ txid: id, withdrawal_id: id, state: 'sent' })
    await addTransactions({ txid: 'given up', withdrawal_id: 'waiting', state: 'dead' })
    await DB.batch(deleteOutdatedFailuresStatements(DB, 'Bitcoin'))
    expect(await list('failed_records', "blockchain || ' ' || id")).toEqual([
      ...['Bitcoin ending', 'Bitcoin sent', 'Bitcoin waiting', 'Dogecoin confirmed'],
    ])
    await clear('failed_records')
  })

  it('knows its transactions that were given up, and takes one for sent after all', async () => {
    for (const blockchain of ['Bitcoin', 'Dogecoin']) {
      await addTransactions(
        { txid: 'a', blockchain, state: 'dead', withdrawal_id: 'sent' },
        { txid: 'b', blockchain, state: 'dead' },
      )
      await addTransactions({
        txid: 'c',
        blockchain,
        state: 'signed',
        ...(blockchain === 'Bitcoin' ? { withdrawal_id: 'sent' } : {}),
      })
    }
    expect(await selectDeadTransactions(DB, 'sent')).toEqual(['a', 'a'])
    await reviveTransactionStatement(DB, 'Bitcoin', 'c', 7).run()
    await DB.prepare('UPDATE transactions SET withdrawal_id = NULL').run()
    await reviveTransactionStatement(DB, 'Bitcoin', 'a', 7).run()
    expect(
      await read('transactions', 'blockchain || txid', "state || IFNULL(sent_height || ':' || checked_height, '')"),
    ).toEqual({
      ...{ Bitcoina: 'sent7:6', Bitcoinb: 'dead', Bitcoinc: 'signed' },
      ...{ Dogecoina: 'dead', Dogecoinb: 'dead', Dogecoinc: 'signed' },
    })
    await clear('transactions')
    await addMany('transactions', 101, { seq: 'n', state: "'dead'", withdrawal_id: "'sent'" })
    const newest = Array.from({ length: 100 }, (_, index) => String(101 - index))
    expect(await selectDeadTransactions(DB, 'sent')).toEqual(newest)
    await DB.prepare("UPDATE transactions SET state = 'mined' WHERE txid = '1'").run()
    // The one that lives, and the newest of the others.
    expect((await selectTransactionsOf(DB, 'sent')).map(({ txid }) => txid)).toEqual(['1', ...newest.slice(0, 99)])
    expect(await count('transactions')).toBe(101)
  })
})
