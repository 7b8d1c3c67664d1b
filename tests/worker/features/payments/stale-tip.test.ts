import { env } from 'cloudflare:test'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AgentContext } from '../../../../worker/chain/follower/agent-context.ts'
import { type BlockPosition, selectTip } from '../../../../worker/chain/follower/blocks.ts'
import { settlePayments } from '../../../../worker/features/payments/settle-payments.ts'
import { contextAtTip } from '../../agent-contexts.ts'
import { add, clear, list } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

const chain = useDevnet()
const NOW = 1_800_000_000_000

let context: AgentContext
let tip: BlockPosition
beforeAll(async () => {
  ;({ context, tip } = await contextAtTip(chain, 3, NOW))
})
const TABLES = [
  'failed_records',
  'outputs',
  'ledger',
  'payment_request_items',
  'payment_requests',
  'addresses',
  'items',
]
beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  await clear(...TABLES)
})
afterEach(() => clear(...TABLES))

/** An output in the newest block: one block deep, or deeper on a chain that is not followed any more. */
async function paid(kind: 'deposit' | 'request', amount = '700') {
  await add('addresses', { address: 'to', script: 'to', user_id: 'ada', kind, state: 'discarded' })
  await add('outputs', { txid: '1'.repeat(64), address: 'to', amount, block_height: tip.height, seen_at: NOW })
}

describe('a step that counts on a tip which another step has replaced', () => {
  const stale = () => ({ height: tip.height + 10, hash: 'f'.repeat(64) })

  it('credits nothing', async () => {
    // More than the least deposit.
    await paid('deposit', '700000')
    await settlePayments(context, stale())
    expect(await list('ledger', 'amount')).toEqual([])
    expect(await list('outputs', 'credited')).toEqual([0])
  })

  it('settles no request', async () => {
    await paid('request')
    await add('items', { id: 'i', status: 402 })
    await add('payment_requests', {
      ...{ id: 'r', address: 'to', amount: '700', item_set: 'i', state: 'seen', expires_at: NOW + 1 },
    })
    await settlePayments(context, stale())
    expect(await list('payment_requests', 'state')).toEqual(['seen'])
    expect(await list('ledger', 'amount')).toEqual([])
  })

  it('takes no deposit for too small', async () => {
    await paid('deposit')
    const { config } = context
    const chains = { ...config.chains, Bitcoin: { ...config.chains.Bitcoin, minDeposit: 701n } }
    const high = { ...context, config: { ...config, chains } }
    await settlePayments(high, stale())
    expect(await list('outputs', 'below')).toEqual([null])
    await add('blocks', { height: tip.height + 2, hash: 'e'.repeat(64) })
    await settlePayments(high, { height: tip.height + 2, hash: 'e'.repeat(64) })
    await env.DB.prepare('DELETE FROM blocks WHERE height > ?').bind(tip.height).run()
    expect(await list('outputs', 'below')).toEqual([701])
  })

  it('lets no request expire', async () => {
    await add('addresses', { address: 'to', script: 'to', kind: 'request', state: 'discarded' })
    await add('payment_requests', { id: 'r', address: 'to', amount: '700', state: 'open', expires_at: NOW - 1 })
    await settlePayments(context, { height: stale().height, hash: tip.hash })
    expect(await list('payment_requests', 'state')).toEqual(['open'])
  })
})

// The last one: the chain has a block more from here on.
describe('a step that has followed the chain up to a block which is not the newest any more', () => {
  it('takes no request back to open whose money is not where it was: the new block may contain it', async () => {
    await add('addresses', { address: 'to', script: 'to', kind: 'request', state: 'discarded' })
    await add('outputs', { txid: '1'.repeat(64), address: 'to', amount: '700', seen_at: NOW })
    await add('payment_requests', { id: 'r', address: 'to', amount: '700', state: 'seen', expires_at: NOW + 1 })
    await settlePayments(context, { ...tip, hash: 'f'.repeat(64) })
    expect(await list('payment_requests', 'state')).toEqual(['seen'])
    await settlePayments(context, tip)
    expect(await list('payment_requests', 'state')).toEqual(['open'])
  })

  it('lets no request expire, since the new block may contain its payment', async () => {
    await add('addresses', { address: 'to', script: 'to', kind: 'request', state: 'discarded' })
    await add('payment_requests', { id: 'r', address: 'to', amount: '700', state: 'open', expires_at: NOW - 1 })
    chain.mine('Bitcoin')
    await settlePayments(context, tip)
    expect(await list('payment_requests', 'state')).toEqual(['open'])
    await chain.work('Bitcoin')
    const newest = await selectTip(env.DB, 'Bitcoin')
    if (newest) await settlePayments(context, newest)
    expect(await list('payment_requests', 'state')).toEqual(['expired'])
  })
})
