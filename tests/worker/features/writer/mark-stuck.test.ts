import { env } from 'cloudflare:test'
import { beforeEach, expect, it, vi } from 'vitest'
import { selectFailedRecords } from '../../../../worker/chain/follower/failed-records.ts'
import { selectWrites } from '../../../../worker/features/items/sql/writes.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { markStuck, notifyUnblocked } from '../../../../worker/features/writer/raise/mark-stuck.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear } from '../../rows.ts'

const { DB } = env
const NOW = 1_000_000

beforeEach(async () => {
  await clear('events', 'transactions', 'tx_chains', 'writes', 'payment_requests', 'items', 'failed_records')
  await add('payment_requests', { id: 'request', state: 'settled' })
  await add('items', { id: 'item', status: 202, message: 'Paid. Being written.' })
  await add('writes', { item_id: 'item', state: 'writing' })
  await add('tx_chains', { id: 7 })
  await add('transactions', { item_id: 'item', item_index: 0, tx_chain: 7 })
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  return () => log.mockRestore()
})

const message = () => DB.prepare("SELECT message FROM items WHERE id = 'item'").first<string>('message')

async function leave(now: number): Promise<void> {
  await markStuck(contextOf('Bitcoin', now), 7, await selectUnmined(DB, 'Bitcoin'), 'It can pay no more.')
}

it('a tx chain that can pay no more is recorded as failed with its reason, and its payer is told', async () => {
  await leave(NOW)
  const aside = { kind: 'tx_chain', id: '7', reason: 'It can pay no more.', tries: 1, retryAt: NOW + 2_000 }
  expect(await selectFailedRecords(DB, 'Bitcoin')).toMatchObject([aside])
  expect(await message()).toContain('they pay less than the network asks now')
})

it('it is tried again only after its wait, which is longer each time', async () => {
  await leave(NOW)
  await leave(NOW + 1_999)
  expect(await selectFailedRecords(DB, 'Bitcoin')).toMatchObject([{ tries: 1, retryAt: NOW + 2_000 }])
  await leave(NOW + 2_000)
  expect(await selectFailedRecords(DB, 'Bitcoin')).toMatchObject([{ tries: 2, retryAt: NOW + 6_000 }])
})

it('its payer is told that writing goes on when none of its transactions waits any more, and not before', async () => {
  await leave(NOW)
  const tell = async () =>
    await notifyUnblocked(
      { db: DB },
      await selectWrites(DB, 'Bitcoin', ['writing']),
      await selectUnmined(DB, 'Bitcoin'),
    )
  await tell()
  expect(await message()).toContain('they pay less')
  await DB.prepare("UPDATE transactions SET state = 'mined'").run()
  await tell()
  expect(await message()).toBe('Paid. It is being written.')
})

it('an item that waits for something else is told nothing', async () => {
  await DB.batch([
    DB.prepare("UPDATE items SET message = 'It waits for coins.'"),
    DB.prepare("UPDATE transactions SET state = 'mined'"),
  ])
  await notifyUnblocked({ db: DB }, await selectWrites(DB, 'Bitcoin', ['writing']), [])
  expect(await message()).toBe('It waits for coins.')
})
