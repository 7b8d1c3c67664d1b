import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { deleteItem } from '../../../../worker/features/payments/delete-item.ts'
import { beforeBatch } from '../../before-batch.ts'
import { add, clear, read } from '../../rows.ts'

const ID = 'a'.repeat(24)

/** Deletes the item for a user; returns how much of it is done in the background. */
async function remove(userId = 'ada', db = env.DB): Promise<number> {
  const background: Promise<unknown>[] = []
  await deleteItem({ ...env, DB: db }, userId, ID, 7, (work) => background.push(work))
  await Promise.all(background)
  return background.length
}
const left = async () => [await read('items', 'id', 'removed_at'), await read('payment_requests', 'id', 'state')]
const waiting = async () => {
  await add('addresses', { address: 'to', script: 'to', kind: 'request' })
  await add('payment_requests', { id: 'r', address: 'to', item_set: ID })
  await add('payment_request_items', { request_id: 'r', item_id: ID, waiting: 1 })
}

beforeEach(async () => {
  await clear('events', 'outputs', 'payment_request_items', 'payment_requests', 'addresses', 'items')
  await add('items', { id: ID, status: 402 })
})

describe('an item that is deleted', () => {
  it('goes with the request that waits for its payment alone', async () => {
    await waiting()
    await add('items', { id: 'other', status: 402 })
    await add('payment_requests', { id: 'other', item_set: 'other' })
    await add('payment_request_items', { request_id: 'other', item_id: 'other', waiting: 1 })
    expect([await remove(), await left()]).toEqual([1, [{ other: null }, { other: 'open', r: 'cancelled' }]])
    await expect(remove()).rejects.toMatchObject({ status: 404 })
  })

  it('leaves what a directory has in the bucket to the sweep, with what its files have', async () => {
    await add('folders', { id: 'f' })
    await env.DB.prepare("UPDATE items SET directory_of = 'f'").run()
    expect([await remove(), await read('items', 'id', 'removed_at')]).toEqual([0, { [ID]: 7 }])
    await clear('items', 'folders')
  })

  it('stays where it is another’s, paid for, or part of a directory', async () => {
    await expect(remove('bob')).rejects.toMatchObject({ status: 404 })
    await env.DB.prepare('UPDATE items SET status = 202').run()
    await expect(remove()).rejects.toMatchObject({ status: 409, code: 'already_paid' })
    await add('items', { id: 'd' })
    await env.DB.prepare("UPDATE items SET status = 402, part_of = 'd' WHERE id != 'd'").run()
    await expect(remove()).rejects.toMatchObject({ status: 409, code: 'part_of_directory' })
    expect((await left())[0]).toEqual({ [ID]: null, d: null })
  })

  it.each([
    ['in the mempool', { in_mempool: 1 }, 'open'],
    ['in a block', { block_height: 1, block_hash: 'b' }, 'open'],
    ['that the agent has told of and that is nowhere now', {}, 'seen'],
  ])('stays once money for it was seen: %s', async (_, output, state) => {
    await waiting()
    await add('outputs', { txid: 't', address: 'to', ...output })
    await env.DB.prepare('UPDATE payment_requests SET state = ?').bind(state).run()
    await expect(remove()).rejects.toMatchObject({ status: 409, code: 'payment_seen' })
    expect(await left()).toEqual([{ [ID]: null }, { r: state }])
  })

  it('goes where the money for it is gone when it is looked at for the third time, the last', async () => {
    await waiting()
    await add('outputs', { txid: 't', address: 'to', in_mempool: 1 })
    const goneAt = (look: number) => beforeBatch(env.DB, () => clear('outputs'), look)
    await expect(remove('ada', goneAt(4))).rejects.toMatchObject({ status: 409, code: 'payment_seen' })
    await remove('ada', goneAt(3))
    expect(await left()).toEqual([{}, { r: 'cancelled' }])
  })

  it('stays where another call pays for it first', async () => {
    const db = beforeBatch(env.DB, () => env.DB.prepare('UPDATE items SET status = 202').run())
    await expect(remove('ada', db)).rejects.toMatchObject({ code: 'already_paid' })
    expect((await left())[0]).toEqual({ [ID]: null })
  })
})
