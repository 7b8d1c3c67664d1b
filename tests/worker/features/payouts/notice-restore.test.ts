import { env } from 'cloudflare:test'
import { beforeEach, expect, it, vi } from 'vitest'
import { selectNotedAgent } from '../../../../worker/chain/follower/stops.ts'
import { noticeRestore } from '../../../../worker/features/payouts/restore/notice-restore.ts'
import { memoryNumbers } from '../../../kit/in-process/memory-numbers.ts'
import { add, clear, list } from '../../rows.ts'

const { DB, BUCKET } = env
const context = { db: DB, bucket: BUCKET, now: 5 }
let agent = memoryNumbers()
const notice = (isSettled: boolean) => noticeRestore(context, 'Bitcoin', agent, { isSettled })
const causes = () => list('stops', 'cause')

beforeEach(async () => {
  vi.restoreAllMocks()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await clear('stops', 'payout_numbers', 'chain_states')
  agent = memoryNumbers()
  expect(await notice(false)).toBe(0)
  await agent.write(6)
  await add('payout_numbers', { blockchain: 'Bitcoin', number: 4 })
})

it('a database with a lower number than its agent has payouts stop, and what the agent has is noted when all is settled', async () => {
  expect([await notice(false), await causes(), await selectNotedAgent(DB, 'Bitcoin')]).toEqual([
    ...[undefined, ['restored'], undefined],
  ])
  expect([await notice(true), await selectNotedAgent(DB, 'Bitcoin')]).toMatchObject([undefined, { number: 6 }])
})

it('a step that saw the lower number stops nothing when an operator has let payouts go on meanwhile', async () => {
  const list_ = BUCKET.list.bind(BUCKET)
  vi.spyOn(BUCKET, 'list').mockImplementation(async (options) => {
    await DB.prepare('UPDATE payout_numbers SET number = 6').run()
    return await list_(options)
  })
  expect([await notice(false), await causes()]).toEqual([undefined, []])
  expect(await notice(false)).toBe(6)
})
