import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { AgentContext } from '../../../../worker/chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../../worker/chain/follower/blocks.ts'
import { settlePayments } from '../../../../worker/features/payments/settle-payments.ts'
import { contextAtTip } from '../../agent-contexts.ts'
import { add, clear, list, read } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

const chain = useDevnet()
const NOW = 1_800_000_000_000
const OTHER_CREDITED = '1'.repeat(64)
const [TABLES, PAID] = [
  ['failed_records', 'writes', 'outputs', 'ledger', 'payment_request_items', 'payment_requests', 'addresses', 'items'],
  '2'.repeat(64),
]

let context: AgentContext
let tip: BlockPosition
beforeAll(async () => {
  ;({ context, tip } = await contextAtTip(chain, 3, NOW))
})
beforeEach(() => clear(...TABLES))
afterEach(() => clear(...TABLES))

/** A request for 700 of ada's that waits, for an item. */
async function request(): Promise<void> {
  await add('items', { id: 'i', status: 402 })
  await add('addresses', { address: 'to', script: 'to', kind: 'request', state: 'discarded' })
  await add('payment_requests', {
    ...{ id: 'r', address: 'to', amount: '700', item_set: 'i', state: 'seen', expires_at: NOW + 1 },
  })
  await add('payment_request_items', { request_id: 'r', item_id: 'i', waiting: 1 })
}

it('a request is settled with what is new at its address, beside money there that became balance before', async () => {
  await request()
  const paid = { address: 'to', amount: '700', block_height: 1, block_hash: 'b' }
  await add('outputs', { txid: OTHER_CREDITED, ...paid, credited: 1 }, { txid: PAID, ...paid })
  await add('ledger', { seq: 1, amount: '700', balance: '700', cause: `output:${OTHER_CREDITED}:0` })
  await settlePayments(context, tip)
  expect(await list('payment_requests', 'state')).toEqual(['settled'])
  expect(await read('ledger', 'seq', "cause || ' ' || balance")).toEqual({
    ...{ 1: `output:${OTHER_CREDITED}:0 700`, 2: `output:${PAID}:0 1400`, 3: 'request:r 700' },
  })
})

it('a request is settled with what is deep enough, and what is not becomes balance when it is', async () => {
  await request()
  const paid = { address: 'to', amount: '700', block_hash: 'b' }
  await add(
    'outputs',
    { txid: PAID, ...paid, block_height: 1 },
    { txid: 'new', ...paid, block_height: tip.height },
    { txid: 'waits', address: 'to', amount: '700', in_mempool: 1 },
  )
  await settlePayments(context, tip)
  expect(await list('payment_requests', 'state')).toEqual(['settled'])
  expect([await read('outputs', 'txid', 'credited'), await list('ledger', 'amount')]).toEqual([
    ...[{ [PAID]: 1, new: 0, waits: 0 }, ['-700', '700']],
  ])
})
