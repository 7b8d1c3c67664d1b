import { env } from 'cloudflare:test'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AgentContext, agentContext } from '../../../worker/chain-follower/agent-context.ts'
import { settlePayments } from '../../../worker/payments/settle-payments.ts'
import { type BlockPosition, selectTip } from '../../../worker/storage/chain/blocks.ts'
import { add, addMany, clear, list, read } from '../storage/rows.ts'
import { useDevnet } from '../use-devnet.ts'

const chain = useDevnet()
const NOW = 1_800_000_000_000
const DAY = 86_400_000

let context: AgentContext
let tip: BlockPosition
beforeAll(async () => {
  chain.mine('Bitcoin', 3)
  await chain.work('Bitcoin')
  const found = agentContext(env, 'Bitcoin')
  const best = await selectTip(env.DB, 'Bitcoin')
  if (!found || !best) throw new Error('no chain')
  context = { ...found, now: NOW }
  tip = best
})
const TABLES = ['set_aside', 'outputs', 'ledger', 'payment_request_items', 'payment_requests', 'addresses', 'events']
beforeEach(() => clear(...TABLES))
afterEach(() => clear(...TABLES))

const settle = async (now = NOW) => await settlePayments({ ...context, now }, tip)
const countOf = async (table: string, column: string, value: unknown) =>
  (await list(table, column)).filter((one) => one === value).length

/** An address of ada's, with an output of a transaction of its name. */
async function output(name: string, row: Record<string, string | number | null>, userId = 'ada', kind = 'request') {
  await add('addresses', { address: name, script: name, user_id: userId, kind, state: 'discarded' })
  await add('outputs', { txid: name.padStart(64, '0'), address: name, ...row })
}

describe('what one step does, so that it stays below what D1 allows', () => {
  it('moves thirty requests on, and the others in the next', async () => {
    await addMany('payment_requests', 31, {
      ...{ id: "printf('%02d', n)", user_id: "'ada'", target: "'Bitcoin'", blockchain: "'Bitcoin'" },
      ...{ item_set: 'n', amount: "'600'", state: "'open'", created_at: '0', expires_at: '1' },
    })
    await settle()
    expect(await countOf('payment_requests', 'state', 'expired')).toBe(30)
    await settle()
    expect(await countOf('payment_requests', 'state', 'expired')).toBe(31)
  })

  it('credits twenty users, and of them five hundred outputs', async () => {
    for (let user = 0; user < 21; user++) await output(`u${user}`, { block_height: 1 }, `user${user}`)
    await settle()
    expect(new Set(await list('ledger', 'user_id')).size).toBe(20)
    await settle()
    expect(new Set(await list('ledger', 'user_id')).size).toBe(21)
    await clear('ledger', 'outputs')
    await addMany('outputs', 501, {
      ...{ blockchain: "'Bitcoin'", txid: "printf('%064d', n)", vout: '0', address: "'u1'", amount: "'1'" },
      ...{ coinbase: '0', seen_at: '0', in_mempool: '0', block_height: '1' },
    })
    await settle()
    expect(await countOf('outputs', 'credited', 1)).toBe(500)
    await settle()
    expect(await countOf('outputs', 'credited', 1)).toBe(501)
  })

  it('replaces twenty deposit addresses that were used, each by one', async () => {
    for (let user = 0; user < 21; user++) await output(`d${user}`, {}, `user${user}`, 'deposit')
    await env.DB.prepare("UPDATE addresses SET state = 'current'").run()
    await settle()
    expect([await countOf('addresses', 'state', 'retired'), (await list('addresses', 'state')).length]).toEqual([
      20, 41,
    ])
    await settle()
    expect([await countOf('addresses', 'state', 'retired'), (await list('addresses', 'state')).length]).toEqual([
      21, 42,
    ])
  })
})

describe('a request that expired', () => {
  const EXPIRED = NOW - DAY
  const state = async () => (await read('payment_requests', 'id', 'state')).asked
  beforeEach(async () => {
    await output('asked', { amount: '600', seen_at: EXPIRED })
    await add('payment_requests', { id: 'asked', address: 'asked', amount: '600', expires_at: EXPIRED })
  })

  it('waits for a day, no longer, for money that was seen in time and that the mempool has lost', async () => {
    await settle()
    expect(await state()).toBe('open')
    await settle(NOW + 1)
    expect(await state()).toBe('expired')
  })

  it('waits as long for a payment that could not be read, which may be its own', async () => {
    await clear('outputs')
    await add('set_aside', { kind: 'payment', id: 'unread', retry_at: NOW + 1 })
    await settle()
    expect(await state()).toBe('open')
    await settle(NOW + 1)
    expect(await state()).toBe('expired')
  })

  it('is not given up on the word of a node that has another best block', async () => {
    await settlePayments({ ...context, now: NOW + 1 }, { ...tip, hash: 'f'.repeat(64) })
    expect(await state()).toBe('open')
  })
})
