import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  clearReasonsStatement,
  noteSentStatements,
} from '../../../../../worker/features/payouts/sql/withdrawal-reasons.ts'
import { add, clear, read } from '../../../rows.ts'

const { DB } = env
beforeEach(() => clear('transactions', 'tx_chains', 'withdrawals', 'failed_records'))
const since = () => read('withdrawals', 'id', 'since')

describe('a withdrawal that was sent', () => {
  const note = (dear: readonly string[], others: readonly string[], now: number) =>
    DB.batch(noteSentStatements(DB, { dear, others }, now))

  it('says that fees are above its own, as long as they are and it waits for nothing else', async () => {
    const sent = { state: 'sent' }
    await add(
      'withdrawals',
      { ...sent, id: 'dear' },
      { ...sent, id: 'other' },
      { ...sent, id: 'why', reason: 'x', since: 1 },
    )
    await add('withdrawals', { ...sent, id: 'ends', ending: 'refunded' }, { id: 'unsent' })
    const dear = ['dear', 'why', 'ends', 'unsent']
    for (const now of [5, 6]) await note(dear, [], now)
    expect(await since()).toEqual({ dear: 5, ends: null, other: null, unsent: null, why: 1 })
    await note([], ['other', 'why'], 7)
    expect(await since()).toMatchObject({ dear: 5, why: 1 })
    await note([], dear, 8)
    expect(await since()).toEqual({ dear: null, ends: null, other: null, unsent: null, why: 1 })
  })

  it('keeps that reason while its transaction is in no block', async () => {
    await add('tx_chains', { id: 1 })
    await add('withdrawals', { id: 'sent', state: 'sent' }, { id: 'mined', state: 'sent' })
    await note(['sent', 'mined'], [], 5)
    await add('transactions', { txid: 'a', withdrawal_id: 'sent', state: 'sent' })
    await add('transactions', { txid: 'b', withdrawal_id: 'mined', state: 'mined', seq: 1 })
    await clearReasonsStatement(DB, 'Bitcoin', false).run()
    expect(await since()).toEqual({ mined: null, sent: 5 })
  })
})
