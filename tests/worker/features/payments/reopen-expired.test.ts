import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AgentContext } from '../../../../worker/chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../../worker/chain/follower/blocks.ts'
import { settlePayments } from '../../../../worker/features/payments/settle-payments.ts'
import { contextAtTip } from '../../agent-contexts.ts'
import { add, clear, read } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

const chain = useDevnet()
const NOW = 1_800_000_000_000
const EXPIRED = NOW - 10_000
const TABLES = [
  'failed_records',
  'outputs',
  'payment_request_items',
  'payment_requests',
  'addresses',
  'items',
  'events',
]

let context: AgentContext
let tip: BlockPosition
beforeAll(async () => {
  ;({ context, tip } = await contextAtTip(chain, 3, NOW))
})
beforeEach(() => clear(...TABLES))
afterEach(() => clear(...TABLES))

/** A request for 600 that expired, of an item that waits, with one output in the mempool. */
async function expired(id: string, output: Record<string, string | number>): Promise<void> {
  await add('items', { id, status: 402 })
  await add('addresses', { address: id, script: id, kind: 'request', state: 'discarded' })
  await add('payment_requests', { id, address: id, amount: '600', state: 'expired', expires_at: EXPIRED })
  await add('outputs', {
    ...{ txid: id, address: id, amount: '600', in_mempool: 1, seen_at: EXPIRED - 1_000, ...output },
  })
}

describe('a request that expired', () => {
  it('waits again where its money came in time, to the last base unit, and is there', async () => {
    await expired('paid', {})
    await expired('short', { amount: '599' })
    await expired('gone', { in_mempool: 0 })
    await expired('later', { seen_at: EXPIRED - 999 })
    await settlePayments(context, tip)
    expect(await read('payment_requests', 'id', 'state')).toEqual({
      ...{ gone: 'expired', later: 'expired', paid: 'seen', short: 'expired' },
    })
  })

  it('does not wait again for an item that was paid, or removed, since', async () => {
    await expired('paid', {})
    await expired('removed', {})
    await expired('waiting', {})
    await clear('items')
    await add('items', { id: 'paid', status: 202 }, { id: 'removed', status: 402, removed_at: 1 })
    await add('items', { id: 'waiting', status: 402 })
    await settlePayments(context, tip)
    expect(await read('payment_requests', 'id', 'state')).toEqual({
      ...{ paid: 'expired', removed: 'expired', waiting: 'seen' },
    })
  })

  it('does not wait again by what a step has seen that counts on a tip which another has replaced', async () => {
    await expired('paid', {})
    await settlePayments(context, { height: tip.height + 1, hash: 'f'.repeat(64) })
    expect(await read('payment_requests', 'id', 'state')).toEqual({ paid: 'expired' })
  })
})
