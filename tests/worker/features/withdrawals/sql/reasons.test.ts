import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  clearReasonsStatement,
  noteColdStatement,
  noteSentStatements,
} from '../../../../../worker/features/withdrawals/sql/withdrawal-reasons.ts'
import { add, clear, read } from '../../../rows.ts'

const { DB } = env
beforeEach(() => clear('transactions', 'lanes', 'withdrawals', 'psbts', 'set_aside'))
const since = () => read('withdrawals', 'id', 'since')

describe('a withdrawal that the offline wallet is to pay', () => {
  it('says what it waits for while it has neither a PSBT nor a transaction, since that is so', async () => {
    const ids = ['waits', 'handed', 'signed', 'dead']
    await add(
      'withdrawals',
      ...ids.map((id) => ({ id, cold: 1 })),
      { id: 'hot' },
      { id: 'held', cold: 1, state: 'held' },
    )
    await add(
      'withdrawals',
      { id: 'ends', cold: 1, ending: 'refunded' },
      { id: 'dog', cold: 1, blockchain: 'Dogecoin' },
    )
    await add('lanes', { id: 1 })
    await add('transactions', { txid: 'a', withdrawal_id: 'signed', state: 'signed' })
    await add('transactions', { txid: 'b', withdrawal_id: 'dead', state: 'dead', dead: 1, seq: 1 })
    await add('psbts', {
      ...{ withdrawal_id: 'handed', blockchain: 'Bitcoin', txid: 't', psbt: '', fee: '1', vsize: 1, created_at: 0 },
      ...{ change_vout: 0, change_value: '0', change_script: '' },
    })
    for (const now of [5, 6]) await noteColdStatement(DB, 'Bitcoin', 'why', now).run()
    const none = { dog: null, ends: null, handed: null, held: null, hot: null, signed: null }
    expect(await since()).toEqual({ ...none, dead: 5, waits: 5 })
  })
})

describe('a withdrawal that was sent', () => {
  const note = (dear: readonly string[], others: readonly string[], now: number, unraised: readonly string[] = []) =>
    DB.batch(noteSentStatements(DB, { dear, others, unraised }, now))

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

  it('says of what was signed offline that blocks pass it by, and promises nothing of a higher fee', async () => {
    const cold = { state: 'sent', cold: 1 }
    await add('withdrawals', { ...cold, id: 'cold' }, { ...cold, id: 'ends', ending: 'refunded' })
    await add(
      'withdrawals',
      { ...cold, id: 'why', reason: 'x', since: 1 },
      { ...cold, id: 'mined', state: 'confirmed' },
    )
    await add('withdrawals', { id: 'hot', state: 'sent' })
    for (const now of [5, 6]) await note([], [], now, ['cold', 'ends', 'why', 'mined', 'hot'])
    expect(await since()).toEqual({ cold: 5, ends: null, hot: null, mined: null, why: 1 })
    expect((await read('withdrawals', 'id', 'reason')).cold).not.toContain('consent')
    await add('lanes', { id: 1 })
    await add('transactions', { txid: 'a', withdrawal_id: 'cold', state: 'sent' })
    await clearReasonsStatement(DB, 'Bitcoin', false).run()
    expect(await since()).toMatchObject({ cold: 5 })
  })

  it('keeps that reason while its transaction is in no block', async () => {
    await add('lanes', { id: 1 })
    await add('withdrawals', { id: 'sent', state: 'sent' }, { id: 'mined', state: 'sent' })
    await note(['sent', 'mined'], [], 5)
    await add('transactions', { txid: 'a', withdrawal_id: 'sent', state: 'sent' })
    await add('transactions', { txid: 'b', withdrawal_id: 'mined', state: 'mined', seq: 1 })
    await clearReasonsStatement(DB, 'Bitcoin', false).run()
    expect(await since()).toEqual({ mined: null, sent: 5 })
  })
})
