import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { keepTables } from '../../keep-tables.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, noise } from '../items/api.ts'
import { askPayment, mergedItem, newUser, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

/** What a step of the agent writes; `items` is put back row by row, since lists are made of it by triggers. */
const TABLES = [
  ...['blocks', 'wallet_scans', 'chain_states', 'failed_records', 'addresses', 'outputs', 'ledger', 'payment_requests'],
  ...['payment_request_items', 'writes', 'tx_chains', 'transactions', 'transaction_inputs', 'item_txids'],
]

/** The database as it is now; returns what puts it back to this. */
async function keepDatabase(itemId: string): Promise<() => Promise<void>> {
  const restore = await keepTables(TABLES)
  const item = await env.DB.prepare('SELECT status, message, written, confirmed FROM items WHERE id = ?')
    .bind(itemId)
    .first<Record<string, unknown>>()
  return async () => {
    const statement = 'UPDATE items SET status = ?, message = ?, written = ?, confirmed = ? WHERE id = ?'
    const values = [item?.status, item?.message, item?.written, item?.confirmed, itemId]
    await restore([env.DB.prepare(statement).bind(...values)])
  }
}

/** Mines until an item is stored, at most so many blocks that what was given up is written anew. */
async function untilStored(api: Api, id: string): Promise<Record<string, unknown>> {
  for (let block = 0; block < 16; block++) {
    await chain.mineAndWork('Bitcoin')
    const item = await showItem(api, id)
    if (item.status === '200 OK') return item
  }
  return await showItem(api, id)
}

/** What the ledger has of a user: causes without their ids, in order. */
async function movesOf(userId: string): Promise<unknown[]> {
  const { results } = await env.DB.prepare('SELECT cause FROM ledger WHERE user_id = ? ORDER BY seq')
    .bind(userId)
    .all<{ cause: string }>()
  return results.map(({ cause }) => cause.split(':')[0])
}

it('finds a payment again that came after the moment to which the database was restored, and stores its item', {
  timeout: 120_000,
}, async () => {
  const { api, userId } = await newUser()
  const id = await mergedItem(api, 'Bitcoin')
  const { address, amount } = await askPayment(api, [id], 'Bitcoin')
  await chain.mineAndWork('Bitcoin')
  const restore = await keepDatabase(id)
  chain.pay('Bitcoin', address, amount)
  const before = await untilStored(api, id)
  expect(before).toMatchObject({ status: '200 OK' })

  await restore()
  expect(await showItem(api, id)).toMatchObject({ status: '402 Payment Required' })
  const after = await untilStored(api, id)
  expect(after).toMatchObject({ status: '200 OK' })
  // Its first transactions are nobody's now: the service does not know them, and pays a second time.
  expect(after.txids).not.toEqual(before.txids)
  expect(await movesOf(userId)).toEqual(['output', 'request'])
})

it('goes on with an item that was half written at the moment to which the database was restored', {
  timeout: 120_000,
}, async () => {
  const { api, userId } = await newUser()
  const id = await mergedItem(api, 'Bitcoin', noise(1_500))
  const { address, amount } = await askPayment(api, [id], 'Bitcoin')
  chain.pay('Bitcoin', address, amount)
  await chain.mineAndWork('Bitcoin', 2)
  expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted' })
  const restore = await keepDatabase(id)
  const before = await untilStored(api, id)
  expect(before).toMatchObject({ status: '200 OK' })

  await restore()
  const after = await untilStored(api, id)
  expect(after).toMatchObject({ status: '200 OK', txids: before.txids })
  expect(await movesOf(userId)).toEqual(['output', 'request'])
})
