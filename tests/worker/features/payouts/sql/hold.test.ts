import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { holdStatements } from '../../../../../worker/features/payouts/sql/withdrawal-ends.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, read } from '../../../rows.ts'

it('a withdrawal is held only while it waits, is not approved, and nothing is signed for it', async () => {
  await add(
    'withdrawals',
    { id: 'waiting' },
    { id: 'cancelled', state: 'cancelled' },
    { id: 'approved', approved: 1 },
    { id: 'signed' },
  )
  await add('tx_chains', { id: 1 })
  await add('transactions', { txid: 'a', withdrawal_id: 'signed', state: 'signed' })
  const held: boolean[] = []
  for (const id of ['waiting', 'cancelled', 'approved', 'signed']) {
    held.push(await batchIf(env.DB, holdStatements(env.DB, id, 'a limit', 7)))
  }
  expect(held).toEqual([true, false, false, false])
  expect(await read('withdrawals', 'id', 'state')).toEqual({
    ...{ waiting: 'held', cancelled: 'cancelled', approved: 'waiting', signed: 'waiting' },
  })
})
