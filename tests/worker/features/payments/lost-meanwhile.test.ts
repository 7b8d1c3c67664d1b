import { env } from 'cloudflare:test'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BlockPosition, selectTip } from '../../../../worker/chain/follower/blocks.ts'
import { creditByHand } from '../../../../worker/features/operate/credit-by-hand.ts'
import { settleByHand } from '../../../../worker/features/operate/settle-by-hand.ts'
import { openRequest } from '../../../../worker/features/payments/open-request.ts'
import { requestContext } from '../../../../worker/features/payments/payment-context.ts'
import { createWithdrawal } from '../../../../worker/features/payouts/ask/create-withdrawal.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { add, clear, list } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

const chain = useDevnet()
const TABLES = [
  ...['writes', 'withdrawals', 'outputs', 'ledger', 'payment_request_items', 'payment_requests', 'addresses', 'items'],
  'users',
]
const AMOUNT = 70_000_000n
let tip: BlockPosition

beforeAll(async () => {
  await chain.confirm('Bitcoin', 3)
  const best = await selectTip(env.DB, 'Bitcoin')
  if (!best) throw new Error('no chain')
  tip = best
})
beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  await clear(...TABLES)
  await add('users', { id: 'ada', email: 'ada@x.example', status: 1 })
})
afterEach(() => clear(...TABLES))

/** The database, in which a reorganisation takes all payments off the chain just before the first batch that moves money. */
function losing(): D1Database {
  const batch: D1Database['batch'] = async (statements) => {
    await env.DB.prepare('UPDATE outputs SET block_hash = NULL, block_height = NULL').run()
    await env.DB.prepare('DELETE FROM blocks WHERE height = ?').bind(tip.height).run()
    return await env.DB.batch(statements)
  }
  return new Proxy(env.DB, {
    get: (target, name) => {
      if (name === 'batch') return batch
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

afterEach(async () => {
  await env.DB.prepare(`INSERT OR IGNORE INTO blocks (blockchain, height, hash) VALUES ('Bitcoin', ?, ?)`)
    .bind(tip.height, tip.hash)
    .run()
})

async function credited() {
  await add('addresses', { address: 'to', user_id: 'ada', kind: 'deposit' })
  const place = { block_height: tip.height, block_hash: tip.hash, credited: 1 }
  await add('outputs', { txid: '1'.repeat(64), address: 'to', amount: AMOUNT.toString(), ...place })
  await add('ledger', {
    ...{ user_id: 'ada', seq: 1, amount: AMOUNT.toString(), balance: AMOUNT.toString() },
    cause: `output:${'1'.repeat(64)}:0`,
  })
}

const context = () => requestContext(losing(), readConfig(env))
const moved = () => list('ledger', 'amount')

describe('money that a reorganisation takes away between the look at it and the batch that moves it', () => {
  it('is not taken by a debit by hand', async () => {
    await credited()
    const order = { account: 'ada', blockchain: 'Bitcoin' as const, amount: -AMOUNT, unbacked: false }
    const taking = creditByHand({ ...context(), record: () => [] }, order)
    await expect(taking).rejects.toMatchObject({ code: 'balance_exceeded' })
    expect(await moved()).toEqual([AMOUNT.toString()])
  })

  it('is not paid out', async () => {
    await credited()
    const address = String(chain.call('Bitcoin', 'getnewaddress'))
    const order = { blockchain: 'Bitcoin' as const, address, amount: AMOUNT / 2n, maxFee: undefined }
    await expect(createWithdrawal(context(), 'ada', order)).rejects.toMatchObject({ code: 'balance_too_low' })
    expect([await moved(), await list('withdrawals', 'id')]).toEqual([[AMOUNT.toString()], []])
  })

  it('does not pay a request that waits', async () => {
    await credited()
    await add('items', { id: 'i', user_id: 'ada', status: 402 })
    await add('addresses', { address: 'of-r', script: 'of-r', user_id: 'ada', kind: 'request' })
    await add('payment_requests', {
      id: 'r',
      address: 'of-r',
      amount: '700',
      item_set: 'i',
      expires_at: Date.now() + 1e6,
    })
    await add('payment_request_items', { request_id: 'r', item_id: 'i', waiting: 1 })
    const asked = openRequest(context(), { userId: 'ada', target: 'Bitcoin', ids: ['i'] })
    expect(await asked).toMatchObject({ state: 'waiting', received: 0n })
    expect([await moved(), await list('payment_requests', 'state')]).toEqual([[AMOUNT.toString()], ['open']])
  })

  it('settles no request by hand as if it were there', async () => {
    await add('addresses', { address: 'of-r', user_id: 'ada', kind: 'request' })
    await add('outputs', {
      ...{ txid: '1'.repeat(64), address: 'of-r', amount: '700', block_height: tip.height - 2 },
    })
    await add('items', { id: 'i', user_id: 'ada', status: 402 })
    await add('payment_requests', { id: 'r', address: 'of-r', amount: '700', item_set: 'i' })
    await add('payment_request_items', { request_id: 'r', item_id: 'i', waiting: 1 })
    expect(await settleByHand({ ...context(), record: () => [] }, 'r')).toBe(700n)
    expect(await list('ledger', 'cause')).toEqual([expect.stringContaining('manual:'), 'request:r'])
  })
})
