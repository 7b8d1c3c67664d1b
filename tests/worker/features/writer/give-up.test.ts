import { env } from 'cloudflare:test'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { giveUpUnsent } from '../../../../worker/features/writer/give-up.ts'
import { batchIf } from '../../../../worker/platform/d1/guarded-batch.ts'
import { add, clear, list } from '../../rows.ts'

const TABLES = ['transactions', 'lanes', 'withdrawals']
beforeEach(() => clear(...TABLES))
afterEach(() => clear(...TABLES))

it('what was signed for a withdrawal is not given up where another step has begun to send it meanwhile', async () => {
  await add('lanes', { id: 1 })
  await add('withdrawals', { id: 'w' })
  await add('transactions', { txid: 'payout', withdrawal_id: 'w', state: 'signed' })
  const statements = await giveUpUnsent(env.DB, 'Bitcoin', 'w')
  await env.DB.prepare('UPDATE transactions SET attempts = 1').run()
  expect(await batchIf(env.DB, statements)).toBe(false)
  expect(await list('transactions', 'state')).toEqual(['signed'])
})
