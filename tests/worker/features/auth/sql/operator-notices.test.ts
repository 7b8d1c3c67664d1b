import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { notifyOperatorsStatements } from '../../../../../worker/features/auth/sql/operator-notices.ts'
import { add, read } from '../../../rows.ts'

it('a notice for operators goes to those whose address is confirmed, and to nobody else', async () => {
  await add('users', { id: 'ada', role: 'admin' }, { id: 'bob' })
  await add('users', { id: 'pat', role: 'admin', status: 2 }, { id: 'zoe', role: 'admin', status: 0 })
  const notice = {
    type: 'payouts.stopped',
    subject: 'Bitcoin',
    data: '{}',
    lines: ['why', 'what to do'],
    at: 5,
  } as const
  await env.DB.batch(notifyOperatorsStatements(env.DB, notice))
  expect(await read('events', 'user_id', "type || ' ' || subject")).toEqual({ ada: 'payouts.stopped Bitcoin' })
  expect(await read('mails', 'recipient', 'about')).toEqual({ 'ada@x.example': 'why\nwhat to do' })
})
