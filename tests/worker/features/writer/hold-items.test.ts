import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { selectWrites } from '../../../../worker/features/items/sql/writes.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { selectAffordable, tellStopped } from '../../../../worker/features/writer/plan/hold-items.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear, type Row, read } from '../../rows.ts'

const { DB } = env
const NOW = 1_800_000_000_000

let warn: ReturnType<typeof vi.spyOn>
beforeEach(async () => {
  await clear('failed_records', 'transactions', 'tx_chains', 'writes', 'payment_requests', 'items')
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  return () => warn.mockRestore()
})

/** A paid item of a quote, with a message for its payer. */
async function addItem(id: string, quote: number, message: string, write: Row = {}): Promise<void> {
  await add('payment_requests', { id: `of ${id}`, state: 'settled', fee_rate: String(quote) })
  await add('items', { id, status: 202, message })
  await add('writes', { item_id: id, request_id: `of ${id}`, state: 'writing', ...write })
}
const messages = () => read('items', 'id', 'message')
const writes = () => selectWrites(DB, 'Bitcoin', ['writing'])

const DEAR = expect.stringContaining("the network's fees are far above")
const STOPPED = expect.stringContaining('the operator has stopped writing')
const WRITTEN = 'Paid. It is being written.'

describe('items at the present fee rate', () => {
  const select = async (feeRate: bigint, now = NOW) => {
    const found = await selectAffordable(contextOf('Bitcoin', now), await writes(), feeRate)
    return found.map(({ itemId }) => itemId).sort()
  }

  it('are written whose quote allows it, and the payers of the others are told, once', async () => {
    for (const [id, quote] of [
      ['cheap', 999],
      ['enough', 1_000],
      ['dear', 9_999],
    ] as const)
      await addItem(id, quote, 'else')
    expect(await select(2_000n)).toEqual(['dear', 'enough'])
    expect(await messages()).toEqual({ cheap: DEAR, dear: 'else', enough: 'else' })
    expect(warn).toHaveBeenCalledTimes(1)
    await select(2_000n)
    expect(warn).toHaveBeenCalledTimes(1)
    expect(await select(1_998n)).toEqual(['cheap', 'dear', 'enough'])
    expect(await messages()).toEqual({ cheap: WRITTEN, dear: 'else', enough: 'else' })
  })

  it('are left alone for a while whose transactions the node refuses', async () => {
    await addItem('refused', 1_000, 'refused')
    await addItem('other', 1_000, 'else')
    await add(
      'failed_records',
      { kind: 'refused', id: 'refused', retry_at: NOW + 2_000 },
      { kind: 'item', id: 'other', retry_at: NOW + 9 },
    )
    expect([await select(1n), await select(1n, NOW + 2_000)]).toEqual([['other'], ['other', 'refused']])
    expect(await messages()).toEqual({ other: 'else', refused: 'refused' })
  })
})

describe('while writing is stopped', () => {
  it('the payers of what is not sent whole are told, but where the node refuses it, and told when it goes on', async () => {
    const cut = { transactions: 2, next_index: 2, data_bytes: 1 }
    await add('tx_chains', { id: 1 })
    await addItem('uncut', 1_000, '')
    await addItem('half', 1_000, '', { ...cut, next_index: 1 })
    await addItem('unsent', 1_000, '', cut)
    await addItem('whole', 1_000, '', cut)
    await addItem('refused', 1_000, 'refused')
    await add('failed_records', { kind: 'refused', id: 'refused' }, { kind: 'item', id: 'half' })
    await add('transactions', { txid: 'u', item_id: 'unsent', item_index: 1, state: 'signed' })
    await add('transactions', { txid: 'w', item_id: 'whole', item_index: 1, seq: 1, attempts: 1 })
    await tellStopped(contextOf('Bitcoin', NOW), await writes(), await selectUnmined(DB, 'Bitcoin'))
    expect(await messages()).toEqual({ uncut: STOPPED, half: STOPPED, unsent: STOPPED, whole: '', refused: 'refused' })
    await selectAffordable(contextOf('Bitcoin', NOW), await writes(), 1n)
    expect(await messages()).toEqual({ uncut: WRITTEN, half: WRITTEN, unsent: WRITTEN, whole: '', refused: 'refused' })
  })
})
