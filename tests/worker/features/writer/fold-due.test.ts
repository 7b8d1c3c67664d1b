import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { foldItems } from '../../../../worker/features/writer/fold-items.ts'
import { contextOf } from '../../agent-contexts.ts'
import { notedStep } from '../../noted-step.ts'
import { add, clear, list, read } from '../../rows.ts'

const { DB } = env
const [A, B] = ['a'.repeat(64), 'b'.repeat(64)]
const TABLES = ['transaction_inputs', 'transactions', 'tx_chains', 'writes', 'payment_requests', 'item_txids', 'items']

beforeEach(async () => {
  await clear(...TABLES, 'wallet_scans', 'blocks')
  await add('payment_requests', { id: 'request', state: 'settled' })
  await add('tx_chains', { id: 1, state: 'closed' })
  await add('items', { id: 'i' })
  await add('item_txids', { item_id: 'i', txids: A + B })
  await add('writes', { item_id: 'i', state: 'done', transactions: 2, fold_from: 50 })
  const mined = { item_id: 'i', state: 'mined', block_hash: 'h' }
  await add('transactions', { ...mined, txid: A, item_index: 0, block_height: 50 })
  await add('transactions', { ...mined, txid: B, item_index: 1, seq: 1, block_height: 49 })
})

/**
 * One look when blocks up to 100 may be folded, and the wallet was searched up to `searched`; `hash` is of the block of
 * the step. Nothing is done twice in a row.
 */
async function fold({
  hash = 'h',
  searched = 100,
}: {
  hash?: string
  searched?: number | null
} = {}): Promise<boolean> {
  const { context, twice } = notedStep(contextOf())
  const tip = { height: 100 + context.config.foldBlocks, hash }
  await add('blocks', { ...tip, hash: 'h' })
  if (searched !== null)
    await add('wallet_scans', { blockchain: 'Bitcoin', hash: 'h', height: searched, sends_known: 1 })
  const more = await foldItems(context, tip)
  expect(twice).toEqual([])
  return more
}
const due = () => read('writes', 'item_id', 'fold_from')
const kept = async () => (await list('transactions', 'txid')).length

describe('the transactions of a stored item', () => {
  it('are folded once their blocks are deep enough, with the highest of these', async () => {
    expect(await fold()).toBe(false)
    expect([await due(), await kept(), await list('writes', 'folded_height')]).toEqual([{ i: null }, 0, [50]])
  })

  it('are not folded by a step whose chain is not followed any more', async () => {
    await fold({ hash: 'other' })
    expect([await due(), await kept()]).toEqual([{ i: 50 }, 2])
  })

  it.each([null, 49])('wait until the wallet was searched for what left it up to them: %s', async (searched) => {
    expect(await fold({ searched })).toBe(false)
    expect([await due(), await kept()]).toEqual([{ i: 50 }, 2])
  })

  it.each([
    [
      'after six blocks where one has no block',
      "UPDATE transactions SET state = 'sent', block_height = NULL WHERE seq = 0",
      106,
    ],
    ['after six blocks where something may stand on them', "UPDATE tx_chains SET state = 'open'", 106],
    ['when the block of the last is deep enough', 'UPDATE transactions SET block_height = 120 WHERE seq = 1', 120],
    ['after a day where one is missing', "UPDATE transactions SET item_id = 'other' WHERE seq = 1", 244],
    ['after a day where the item has other txids', 'UPDATE item_txids SET txids = txids || txids', 244],
  ])('are looked at again %s', async (_, change, from) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    await DB.prepare(change).run()
    await fold()
    expect([await due(), await kept()]).toEqual([{ i: from }, 2])
    expect(log).toHaveBeenCalledTimes(from === 244 ? 1 : 0)
    log.mockRestore()
  })

  it('are those of several items in a step, and of one that alone has more than five thousand', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    await add('writes', { item_id: 'small', state: 'done', transactions: 1, fold_from: 51 })
    expect([await fold(), await due()]).toEqual([false, { i: null, small: 244 }])
    await clear('wallet_scans', 'blocks', 'writes')
    await add('writes', { item_id: 'largest', state: 'done', transactions: 5_001, fold_from: 51 })
    expect([await fold(), await due()]).toEqual([false, { largest: 244 }])
    log.mockRestore()
  })

  it('are looked at no more where they are of an index that another has replaced and that was given up', async () => {
    await add('items', { id: 'of it', index_txid: B })
    const write = { item_id: 'void', index_of: 'of it', index_txid: A, state: 'done', transactions: 1, fold_from: 51 }
    await add('writes', write)
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    await fold()
    expect(await due()).toEqual({ i: null, void: null })
    expect(log).not.toHaveBeenCalled()
    log.mockRestore()
  })

  it('are looked at again after a day where they are fewer than were to be made', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    await DB.prepare('UPDATE writes SET transactions = 3').run()
    await fold()
    expect([await due(), await kept()]).toEqual([{ i: 244 }, 2])
    log.mockRestore()
  })

  it('are five thousand in a step, or those of one item', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    await add('writes', { item_id: 'large', state: 'done', transactions: 4_999, fold_from: 51 })
    expect([await fold(), await due()]).toEqual([true, { i: null, large: 51 }])
    await clear('wallet_scans', 'blocks')
    expect([await fold(), await due()]).toEqual([false, { i: null, large: 244 }])
    log.mockRestore()
  })
})
