import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { pendingBlocks } from '../../../../worker/content/ipfs/blocks/pending-blocks.ts'
import { addFile } from '../../../../worker/content/ipfs/dag/add-file.ts'
import { publishItems } from '../../../../worker/features/writer/follow/publish-items.ts'
import { indexId } from '../../../../worker/features/writer/plan/read-index-data.ts'
import { contextOf } from '../../agent-contexts.ts'
import { randomBytes } from '../../content/ipfs/dag-fixture.ts'
import { add, clear, list, read } from '../../rows.ts'

const { DB } = env
const [A, B] = ['a'.repeat(64), 'b'.repeat(64)]
const ITEMS = ['item_txids', 'items', 'blocks', 'events']
beforeEach(async () => {
  await clear('failed_records', 'transactions', 'tx_chains', 'writes', 'payment_requests', ...ITEMS)
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  await add('payment_requests', { id: 'request', state: 'settled' })
  await add('tx_chains', { id: 1 })
})

/** One look at a tip; `hash` is of the block that the step was begun with. Coins, and what is written, are deep after two blocks. */
async function publish(height: number, hash = 'h'): Promise<boolean> {
  await clear('blocks')
  await add('blocks', { height, hash: 'h' })
  return await publishItems(contextOf(), { height, hash })
}
const statuses = () => read('items', 'id', 'status')

describe('an item', () => {
  beforeEach(async () => {
    await add('items', { id: 'i', status: 202, transactions: 2 }, { id: 'other', status: 202, transactions: 1 })
    const writing = { state: 'writing', transactions: 2, next_index: 2 }
    await add('writes', { item_id: 'i', ...writing }, { item_id: 'other', ...writing })
    const mined = { item_id: 'i', state: 'mined', block_height: 9 }
    await add('transactions', { ...mined, txid: A, item_index: 0 }, { ...mined, txid: B, item_index: 1, seq: 1 })
    await add('transactions', { ...mined, txid: 'c', item_id: 'other', item_index: 0, seq: 2 })
  })

  it('is stored with its txids once all of them are deep enough on the chain that is followed', async () => {
    expect([await publish(9), await publish(10, 'other')]).toEqual([false, false])
    expect(await statuses()).toEqual({ i: 202, other: 202 })
    expect(await publish(10)).toBe(true)
    expect(await statuses()).toEqual({ i: 200, other: 202 })
    expect(await list('item_txids', "item_id || ' ' || txids")).toEqual([`i ${A}${B}`])
    expect(await list("events WHERE type = 'item.stored'", 'subject')).toEqual(['i'])
  })
})

describe('the index of a stored item', () => {
  const id = indexId('i', [A])
  const addIndex = async (item_id: string) => {
    await add('items', { id: 'i', status: 200, sha256: 'hash' })
    await add('item_txids', { item_id: 'i', txids: A })
    await add('writes', { item_id, state: 'writing', transactions: 1, next_index: 1, index_of: 'i' })
    await add('transactions', { txid: 'index', item_id, item_index: 0, state: 'mined', block_height: 9 })
  }
  const shown = async () => [...(await list('items', 'index_txid')), ...(await list('writes', 'state'))]

  it('is shown once it is deep enough on the chain that is followed', async () => {
    await addIndex(id)
    expect([await publish(9), await publish(10, 'other'), await shown()]).toEqual([false, false, [null, 'writing']])
    expect([await publish(10), await shown()]).toEqual([true, ['index', 'done']])
  })

  it.each([
    ['that names other txids', indexId('i', [B]), ''],
    ['of an item that is stopped', id, "UPDATE items SET status = 409, message = ''"],
  ])('%s is for nobody', async (_, name, change) => {
    await addIndex(name)
    if (change !== '') await DB.prepare(change).run()
    expect([await publish(10), await shown()]).toEqual([true, [null, 'done']])
  })
})

it('an item for IPFS that has no CID is recorded as failed, and its payer is told that the operator knows', async () => {
  await add('items', { id: 'i', status: 202, blockchain: 'IPFS' })
  await add('writes', { item_id: 'i', target: 'IPFS', state: 'writing' })
  await publish(10)
  expect(await read('failed_records', 'id', 'reason')).toEqual({ i: 'IPFS item i has no CID' })
  expect(await list('items', 'message')).toEqual([expect.stringContaining('could not be published')])
})

it('an item for IPFS is stored when all its blocks are public, some of which are made so in each step', async () => {
  const { cid } = await addFile(
    pendingBlocks(env.BUCKET, 'i'),
    (async function* () {
      yield randomBytes(2 << 20)
    })(),
  )
  await add('items', { id: 'i', status: 202, blockchain: 'IPFS', cid: String(cid) })
  await add('writes', { item_id: 'i', target: 'IPFS', state: 'writing' })
  expect([await publish(10), await statuses()]).toEqual([true, { i: 202 }])
  expect([await publish(10), await statuses()]).toEqual([false, { i: 200 }])
})
