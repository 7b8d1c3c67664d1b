import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { selectPayoutNumber } from '../../../../worker/chain/follower/payout-numbers.ts'
import { decideWithdrawal } from '../../../../worker/features/operate/decide-withdrawal.ts'
import {
  beginEnding,
  cancelWithdrawal,
  type EndingContext,
  endUnsigned,
} from '../../../../worker/features/payouts/end/end-withdrawal.ts'
import { getEndRecord } from '../../../../worker/features/payouts/record/end-records.ts'
import { putPayoutRecord } from '../../../../worker/features/payouts/record/payout-records.ts'
import { add, clear, list, read } from '../../rows.ts'
import { noLabels } from './no-labels.ts'

const { DB, BUCKET } = env
const tied = { coin_txid: 'c', coin_vout: 1, coin_value: '9', coin_script: '51' }

beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await clear('withdrawals', 'ledger', 'stops', 'payout_numbers', 'failed_records')
})
afterEach(() => void vi.restoreAllMocks())

/** What somebody ends a withdrawal with whose agent has the number that the database has. */
const context = (given: Partial<EndingContext> = {}): EndingContext => ({
  ...{ ...noLabels, db: DB, bucket: BUCKET, now: 5, noticeRestore: () => selectPayoutNumber(DB, 'Bitcoin') },
  ...given,
})
/** A withdrawal of 10 and a fee of 2 that was debited. */
async function asked(id: string, more: object = {}): Promise<void> {
  await add('withdrawals', { id, amount: '10', fee: '2', ...more })
  await add('ledger', { user_id: id, seq: 1, amount: '-10', balance: '7', cause: `withdrawal:${id}` })
  await add('ledger', { user_id: id, seq: 2, amount: '-2', balance: '5', cause: `withdrawal-fee:${id}` })
  await DB.prepare('UPDATE withdrawals SET user_id = ? WHERE id = ? AND user_id = ?').bind(id, id, 'ada').run()
}
const end = (id: string, state: 'cancelled' | 'paid_elsewhere' = 'cancelled', given: Partial<EndingContext> = {}) =>
  endUnsigned(context(given), id, state, () => [])
const states = () => read('withdrawals', 'id', "state || ' ' || IFNULL(ending, '')")
const refunds = () => list("ledger WHERE cause LIKE 'withdrawal-refund:%'", "cause || ' ' || amount")
const ended = (id: string, state: 'cancelled' | 'refunded' = 'cancelled') =>
  getEndRecord(BUCKET, 'Bitcoin', { id, ended: state })

describe('a withdrawal for which nothing was signed', () => {
  it('gives amount and fee back once, but for one that was paid elsewhere or is of the service', async () => {
    await asked('a')
    await asked('elsewhere')
    await add('withdrawals', { id: 'sweep', user_id: 'service' })
    await end('a')
    await expect(end('a')).rejects.toMatchObject({ code: 'withdrawal_ended' })
    await end('elsewhere', 'paid_elsewhere')
    await end('sweep')
    expect(await refunds()).toEqual(['withdrawal-refund:a 12'])
    expect(await states()).toEqual({ a: 'cancelled ', elsewhere: 'paid_elsewhere ', sweep: 'cancelled ' })
    expect([await ended('a'), await selectPayoutNumber(DB, 'Bitcoin')]).toMatchObject([{ amount: 10n, fee: 2n }, 3])
  })

  it('does not end while the bucket takes no record of that', async () => {
    await asked('a')
    vi.spyOn(BUCKET, 'put').mockRejectedValue(new Error('down'))
    await expect(end('a')).rejects.toMatchObject({ status: 503, code: 'payouts_stopped' })
    expect([await states(), await refunds()]).toEqual([{ a: 'waiting ' }, []])
  })

  it('does not end where the database is older than what was paid out, as its agent has it', async () => {
    await asked('a')
    await expect(end('a', 'cancelled', { noticeRestore: async () => undefined })).rejects.toMatchObject({ status: 503 })
    // Behind, as where the agent did not take the new number.
    await expect(end('a', 'cancelled', { noticeRestore: async () => 0 })).rejects.toMatchObject({ code: 'busy' })
    expect([await states(), await refunds()]).toEqual([{ a: 'waiting ' }, []])
  })

  it('does not end in a database that was restored between its record and the batch', async () => {
    await asked('a')
    let asks = 0
    const noticeRestore = async () => {
      const number = await selectPayoutNumber(DB, 'Bitcoin')
      if (++asks % 2 === 0) await DB.prepare('DELETE FROM payout_numbers').run()
      return number
    }
    await expect(end('a', 'cancelled', { noticeRestore })).rejects.toMatchObject({ code: 'busy' })
    expect([await states(), await refunds()]).toEqual([{ a: 'waiting ' }, []])
  })

  it('is not cancelled where only the bucket knows that something was signed, nor while that is looked up', async () => {
    await asked('a')
    const txChain = { script: '51', vsize: 100, fee: 1n, changeVout: 0, changeValue: 0n }
    const paid = { id: 'a', account: 'a', address: 'x', script: '52', amount: 10n, fee: 2n, feeRate: 1n }
    const coin = { txid: 'c'.repeat(64), vout: 1, value: 9n, script: '51' }
    await putPayoutRecord(BUCKET, 'Bitcoin', 'e'.repeat(64), { ...paid, coin, txChain })
    const cancel = () => cancelWithdrawal(context(), 'a', 'a')
    await expect(cancel()).rejects.toMatchObject({ code: 'withdrawal_signed' })
    await add('stops', { blockchain: 'Bitcoin', part: 'payouts', cause: 'restored', reason: '', since: 1 })
    await expect(cancel()).rejects.toMatchObject({ code: 'payouts_stopped' })
    expect([await states(), await refunds()]).toEqual([{ a: 'waiting ' }, []])
  })

  it('keeps the record of an end that the database has lost, where it finds that something was signed', async () => {
    await asked('lost')
    await end('lost')
    await clear('withdrawals')
    await add('withdrawals', { id: 'lost', ...tied })
    expect(await end('lost')).toBeUndefined()
    expect(await ended('lost')).toMatchObject({ amount: 10n })
  })

  it('has no record of an end that another one was faster than', async () => {
    await asked('faster')
    let asks = 0
    const noticeRestore = async () => {
      if (++asks === 2) await DB.prepare("UPDATE withdrawals SET state = 'refunded'").run()
      return await selectPayoutNumber(DB, 'Bitcoin')
    }
    await expect(end('faster', 'cancelled', { noticeRestore })).rejects.toMatchObject({ code: 'withdrawal_ended' })
    expect([await ended('faster'), await refunds()]).toEqual([undefined, []])
  })
})

describe('a withdrawal for which something was signed', () => {
  const begin = (id: string, given: Partial<EndingContext> = {}) =>
    beginEnding(context(given), id, 'refunded', () => [])

  it('begins to end once, with its record, and is tried at once', async () => {
    await asked('a', tied)
    await add(
      'failed_records',
      { id: 'a', kind: 'withdrawal', retry_at: 9 },
      { id: 'b', kind: 'withdrawal', retry_at: 9 },
    )
    await begin('a')
    await expect(begin('a')).rejects.toMatchObject({ code: 'request_changing' })
    expect([await states(), await read('failed_records', 'id', 'retry_at')]).toEqual([
      ...[{ a: 'waiting refunded' }, { a: 0, b: 9 }],
    ])
    expect([await ended('a', 'refunded'), await refunds()]).toMatchObject([{ coin: { txid: 'c', vout: 1 } }, []])
  })

  it('does not begin to end in a database that was restored between its record and the batch', async () => {
    await asked('a', tied)
    let asks = 0
    const noticeRestore = async () => {
      const number = await selectPayoutNumber(DB, 'Bitcoin')
      if (++asks % 2 === 0) await DB.prepare('DELETE FROM payout_numbers').run()
      return number
    }
    await expect(begin('a', { noticeRestore })).rejects.toMatchObject({ code: 'busy' })
    expect(await states()).toEqual({ a: 'waiting ' })
  })
})

describe('what an operator decides about a withdrawal', () => {
  const decide = (id: string, act: 'approve' | 'refund' | 'paid_elsewhere') =>
    decideWithdrawal({ ...context(), record: () => [] }, id, act)

  it('approves one that is held, and no other', async () => {
    await asked('held', { state: 'held' })
    await asked('waits')
    await asked('over', { state: 'refunded' })
    await decide('held', 'approve')
    await expect(decide('waits', 'approve')).rejects.toMatchObject({ code: 'withdrawal_not_held' })
    await expect(decide('over', 'approve')).rejects.toMatchObject({ code: 'withdrawal_ended' })
    await expect(decide('nobody', 'approve')).rejects.toMatchObject({ status: 404 })
    expect(await states()).toEqual({ held: 'waiting ', over: 'refunded ', waits: 'waiting ' })
  })

  it('ends one at once, or has its coin brought back, and none while payouts are looked up', async () => {
    for (const [id, more] of Object.entries({ free: {}, tied, later: {} })) await asked(id, more)
    for (const id of ['free', 'tied']) await decide(id, 'refund')
    await add('stops', { blockchain: 'Bitcoin', part: 'payouts', cause: 'restored', reason: '', since: 1 })
    await expect(decide('later', 'refund')).rejects.toMatchObject({ status: 503 })
    expect(await states()).toEqual({ free: 'refunded ', later: 'waiting ', tied: 'waiting refunded' })
    expect(await refunds()).toEqual(['withdrawal-refund:free 12'])
  })
})
