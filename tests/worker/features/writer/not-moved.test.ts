import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { watchProgress } from '../../../../worker/features/writer/follow/watch-progress.ts'
import { contextOf } from '../../agent-contexts.ts'
import { beforeBatch } from '../../before-batch.ts'
import { add, clear, list, read } from '../../rows.ts'

const { DB } = env
const TABLES = [
  'progress',
  'incidents',
  'failed_records',
  'withdrawals',
  'outputs',
  'addresses',
  'blocks',
  'transactions',
]
beforeEach(async () => {
  await clear(...TABLES, 'tx_chains', 'writes', 'payment_requests', 'items')
  await add('payment_requests', { id: 'request', state: 'settled' })
})

/** Notes what has moved at a height, and returns what is logged for operators; `hash` is of the block that the step was begun with. */
async function watch(height: number, hash = 'h', db = DB): Promise<unknown[]> {
  await clear('blocks')
  await add('blocks', { height, hash: 'h' })
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  await watchProgress({ ...contextOf(), db }, { height, hash })
  const logged = log.mock.calls.map(([what]) => what)
  log.mockRestore()
  return logged
}
const incidents = () => list('incidents', 'reason')

describe('what does not move', () => {
  it('is not noted by a step whose chain is not followed any more', async () => {
    await add('withdrawals', { id: 'w' })
    await watch(100, 'other')
    expect(await list('progress', 'id')).toEqual([])
    await watch(100)
    expect(await watch(136, 'other')).toEqual([])
    expect([await incidents(), await list('progress', 'height')]).toEqual([[], [100]])
  })

  it('is told once where two steps find it at the same time', async () => {
    await add('withdrawals', { id: 'w' })
    await watch(100)
    const tell = () => add('incidents', { blockchain: 'Bitcoin', code: 'not_moved', reason: 'told', since: 0 })
    expect([await watch(136, 'h', beforeBatch(DB, tell, 2)), await incidents()]).toEqual([[], ['told']])
  })

  it('is paid items, their indexes, and tx chains, each until it gets further', async () => {
    await add('items', { id: 'i' }, { id: 'stored' }, { id: 'done' })
    await add('writes', { item_id: 'i' }, { item_id: 'index', index_of: 'stored', state: 'parked' })
    await add('writes', { item_id: 'done', state: 'done' })
    await add('tx_chains', { id: 7 }, { id: 8, coin_txid: 'b' })
    await add('transactions', { txid: 'a', tx_chain: 7 }, { txid: 'b', tx_chain: 8, state: 'mined', block_height: 1 })
    await add('transactions', { txid: 'c', tx_chain: 8, seq: 1, state: 'dead', dead: 1 })
    await watch(100)
    await watch(135)
    expect(await incidents()).toEqual([])
    expect(await watch(136)).toEqual(['not_moved'])
    const told = (what: string) => [`not moved for 36 blocks: ${what}`]
    expect(await incidents()).toEqual(told('2 paid items (i), 1 chain of transactions (7)'))
    await DB.prepare("UPDATE writes SET next_index = 1 WHERE item_id = 'i'").run()
    await DB.prepare("UPDATE transactions SET state = 'mined', block_height = 137 WHERE txid = 'a'").run()
    await watch(137)
    expect(await incidents()).toEqual(told('1 paid item (index)'))
    await DB.prepare("UPDATE writes SET state = 'done'").run()
    await watch(138)
    expect([await incidents(), await list('progress', 'id')]).toEqual([[], []])
  })

  it.each(['queued', 'writing', 'paused', 'parked'])('is a paid item that is %s', async (state) => {
    await add('items', { id: 'i' })
    await add('writes', { item_id: 'i', state })
    for (const height of [100, 120, 136]) await watch(height)
    expect(await incidents()).toEqual(['not moved for 36 blocks: 1 paid item (i)'])
  })

  it.each(['waiting', 'sent', 'failed'])('is a withdrawal that is %s', async (state) => {
    await add('withdrawals', { id: 'w', state })
    for (const height of [100, 120, 136]) await watch(height)
    expect(await incidents()).toEqual(['not moved for 36 blocks: 1 withdrawal (w)'])
  })

  it('is over for each by itself, whatever is like it and still waits', async () => {
    const other = { blockchain: 'Nativecoin' }
    await add('withdrawals', { id: 'other', ...other })
    await add('tx_chains', { id: 7 }, { id: 8, coin_txid: 'b' }, { id: 7, ...other })
    await add(
      'transactions',
      { txid: 'a', tx_chain: 7 },
      { txid: 'b', tx_chain: 8 },
      { txid: 'c', tx_chain: 7, ...other },
    )
    const [first, second] = ['a'.repeat(64), 'b'.repeat(64)]
    const mined = { address: 'a', block_hash: 'h', block_height: 98 }
    await add('addresses', { address: 'a' })
    await add('outputs', { ...mined, txid: first }, { ...mined, txid: first, vout: 1 }, { ...mined, txid: second })
    await add('outputs', { ...mined, txid: second, vout: 1, below: 9 }, { ...mined, txid: second, vout: 2, dropped: 1 })
    await watch(100)
    expect(await list('progress', 'id')).toEqual(['7', '8', `${first}:0`, `${first}:1`, `${second}:0`])
    await DB.prepare("UPDATE transactions SET state = 'mined', block_height = 101 WHERE txid = 'a'").run()
    await DB.prepare('UPDATE outputs SET credited = 1 WHERE txid = ? AND vout = 0').bind(first).run()
    await watch(101)
    expect(await list('progress', 'id')).toEqual(['8', `${first}:1`, `${second}:0`])
  })

  it('is told with what it waits for, as its record or, of a withdrawal, that says', async () => {
    await add(
      'withdrawals',
      { id: 'another', state: 'confirmed', reason: 'of another' },
      { id: 'w', reason: 'no coins' },
    )
    await add('items', { id: 'i' })
    await add('writes', { item_id: 'i' })
    await add('failed_records', { id: 'another', reason: 'of another' })
    await add(
      'failed_records',
      { kind: 'refused', id: 'i', reason: 'too cheap' },
      { kind: 'tx_chain', id: 'w', reason: 'tx_chain' },
    )
    for (const height of [100, 136]) await watch(height)
    expect(await incidents()).toEqual([
      'not moved for 36 blocks: 1 paid item (i: too cheap), 1 withdrawal (w: no coins)',
    ])
  })

  it('is a withdrawal whose own transaction gets no further, whatever those of others do', async () => {
    await add('withdrawals', { id: 'w' }, { id: 'paid' })
    await add('tx_chains', { id: 7 })
    await add('transactions', { txid: 'a', tx_chain: 7, withdrawal_id: 'paid' })
    await watch(100)
    expect(await read('progress', 'id', 'mark')).toMatchObject({ w: 'waiting:', paid: 'waiting:a' })
  })

  it('is measured from a lower height where a shorter chain was accepted', async () => {
    await add('withdrawals', { id: 'w' })
    for (const height of [200, 100, 135]) await watch(height)
    expect(await incidents()).toEqual([])
    await watch(136)
    expect(await incidents()).toHaveLength(1)
  })
})

it('that paid items wait for other transactions ends with the last of them', async () => {
  await add('incidents', { blockchain: 'Bitcoin', code: 'tx_chains_full', reason: 'paid items wait', since: 0 })
  await add('items', { id: 'i' })
  await add('writes', { item_id: 'i' })
  await add('withdrawals', { id: 'w' })
  await watch(100)
  expect(await incidents()).toEqual(['paid items wait'])
  await DB.prepare("UPDATE writes SET state = 'done'").run()
  await watch(101)
  expect(await incidents()).toEqual([])
})
