import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { RpcCall } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { sendWithdrawals } from '../../../../worker/features/payouts/pay/send-withdrawals.ts'
import type { Config } from '../../../../worker/platform/config/config.ts'
import { contextOf } from '../../agent-contexts.ts'
import { notedStep } from '../../noted-step.ts'
import { add, clear, count, list, type Row, read } from '../../rows.ts'
import { READY_NODE, TIP } from '../writer/sending.ts'

const { DB } = env
const NOW = 1_800_000_000_000
const SCRIPT = `0014${'ab'.repeat(20)}`
const TABLES = [
  'failed_records',
  'incidents',
  'events',
  'transaction_inputs',
  'transactions',
  'tx_chains',
  'withdrawals',
]

beforeEach(async () => {
  await clear(...TABLES, 'signed_bundles', 'ledger', 'addresses', 'stops')
  for (const name of ['warn', 'error', 'info'] as const) vi.spyOn(console, name).mockImplementation(() => {})
})

/** A withdrawal of 10,000 units that may cost any fee rate. */
const addWithdrawal = (id: string, row: Row = {}) =>
  add('withdrawals', { id, amount: '10000', fee_rate: '100000000', script: SCRIPT, ...row })
const coinId = (n: number) => n.toString(16).padStart(64, '0')

interface StepOptions {
  limits?: Partial<Config['chains']['Bitcoin']>
  stopped?: boolean
  maxTxChains?: number
  withdrawalInputs?: number
  meanwhile?: () => Promise<unknown>
}

/**
 * One step with a wallet that has these coins, of so many units each, and signs anything. Nothing is done twice in a
 * row.
 */
async function step(
  coins: number[],
  {
    limits = {},
    maxTxChains = 16,
    withdrawalInputs = 4,
    stopped = false,
    meanwhile = async () => {},
  }: StepOptions = {},
) {
  const unspent = coins.map((units, n) => ({
    ...{ txid: coinId(n + 1), vout: '0', amount: (units / 1e8).toFixed(8), scriptPubKey: SCRIPT, address: 'own' },
    confirmations: '200',
  }))
  const answer = async ({ method, params = [] }: RpcCall) => {
    if (method === 'listunspent') return { result: unspent }
    if (method === 'getbalance') return { result: '0.00000999' }
    if (method === 'getrawchangeaddress') return { result: 'change' }
    if (method === 'validateaddress') return { result: { isvalid: true, scriptPubKey: SCRIPT } }
    if (method !== 'signrawtransactionwithwallet') return READY_NODE[method] ?? { result: {} }
    await meanwhile()
    return { result: { hex: params[0], complete: true } }
  }
  const context = contextOf('Bitcoin', NOW)
  const chains = { ...context.config.chains, Bitcoin: { ...context.config.chains.Bitcoin, ...limits } }
  const config = { ...context.config, maxTxChains, withdrawalInputs, chains }
  const rpc = async (calls: readonly RpcCall[]) => await Promise.all(calls.map(answer))
  const noted = notedStep({ ...context, config, rpc })
  const sent = await sendWithdrawals(noted.context, TIP, { stopped, knowsSends: true })
  expect(noted.twice).toEqual([])
  return sent
}
const reasons = () => read('withdrawals', 'id', 'reason')
const signed = () => list('transactions WHERE withdrawal_id IS NOT NULL', 'withdrawal_id')

describe('a withdrawal', () => {
  it('is signed, and tied to the coin that it spends, on a tx chain of its own', async () => {
    await addWithdrawal('w')
    expect(await step([50_000])).toBe(true)
    expect(await signed()).toEqual(['w'])
    expect(await list('withdrawals', 'coin_txid')).toEqual([coinId(1)])
    expect(await list('tx_chains', "coin_txid || ' ' || state")).toEqual([`${coinId(1)} open`])
    expect(await list('transaction_inputs', 'prev_txid')).toEqual([coinId(1)])
  })

  it('waits while two coins are made one, where it may spend only one and neither is enough', async () => {
    await addWithdrawal('w')
    expect(await step([9_000, 9_000], { withdrawalInputs: 1 })).toBe(true)
    expect(await signed()).toEqual([])
    expect((await list('transaction_inputs', 'prev_txid')).sort()).toEqual([coinId(1), coinId(2)])
    expect(await reasons()).toEqual({ w: expect.stringContaining('small') })
    await addWithdrawal('later')
    expect(await step([9_000, 9_000], { withdrawalInputs: 1 })).toBe(false)
    expect(await reasons()).toEqual({ w: expect.stringContaining('small'), later: expect.stringContaining('small') })
  })

  it('is not signed where others have been paid out meanwhile, so that a limit may be passed', async () => {
    const limits = { payoutLimits: { accountHour: 15_000n, accountDay: undefined, hour: undefined, day: undefined } }
    await addWithdrawal('w')
    const meanwhile = () => addWithdrawal('other', { state: 'confirmed', released_at: NOW - 1 })
    expect(await step([50_000], { limits, meanwhile })).toBe(false)
    expect([await signed(), await count('tx_chains')]).toEqual([[], 0])
    expect(await reasons()).toMatchObject({ w: expect.stringContaining('could not make its transaction just now') })
  })

  it('waits while the wallet is below its limit, unless it is tied to a coin', async () => {
    await addWithdrawal('tied', { coin_txid: coinId(1), coin_vout: 0, coin_value: '50000', coin_script: SCRIPT })
    await addWithdrawal('w')
    await step([50_000, 50_000], { limits: { walletLeast: 1_000n } })
    expect([await signed(), await reasons()]).toEqual([
      ['tied'],
      { tied: null, w: expect.stringContaining('wallet is below its limit') },
    ])
    await step([50_000, 50_000], { limits: { walletLeast: 999n } })
    expect(await signed()).toEqual(['tied', 'w'])
  })

  it('waits where as many tx chains as may be open are busy, which operators are told until that ends', async () => {
    await addWithdrawal('w')
    for (const id of [1, 2, 3, 4]) {
      await add('tx_chains', { id, coin_txid: `coin ${id}` })
      await add('transactions', { txid: `busy ${id}`, tx_chain: id })
    }
    await step([50_000], { maxTxChains: 1 })
    expect([await signed(), await list('incidents', 'code')]).toEqual([[], ['tx_chains_full']])
    expect(await reasons()).toEqual({ w: expect.stringContaining('Too many transactions of the service wait') })
    await DB.prepare("UPDATE tx_chains SET state = 'closed' WHERE id = 4").run()
    await step([50_000], { maxTxChains: 1 })
    expect([await signed(), await list('incidents', 'code')]).toEqual([['w'], []])
  })

  it('is left alone for a while where the node refuses it', async () => {
    await addWithdrawal('w')
    await add('failed_records', { kind: 'refused', id: 'w', retry_at: NOW + 2_000 })
    expect([await step([50_000]), await signed()]).toEqual([false, []])
    await DB.prepare(`UPDATE failed_records SET retry_at = ${NOW}`).run()
    expect([await step([50_000]), await signed()]).toEqual([true, ['w']])
  })

  it('is one of five that are signed in a step', async () => {
    for (let n = 1; n <= 6; n++) await addWithdrawal(`w${n}`, { created_at: n })
    await step(Array.from({ length: 6 }, () => 50_000))
    expect(await signed()).toEqual(['w1', 'w2', 'w3', 'w4', 'w5'])
  })

  it('spends the end of a tx chain on which nothing waits, which is closed, and of no other', async () => {
    const txChain = { script: SCRIPT, coin_script: SCRIPT }
    await add(
      'tx_chains',
      { ...txChain, id: 1, coin_txid: 'a' },
      { ...txChain, id: 2, coin_txid: coinId(1), coin_value: '60000' },
    )
    await add('transactions', { txid: coinId(9), tx_chain: 1, change_value: '60000', item_id: 'i', item_index: 0 })
    await addWithdrawal('w')
    // The wallet lists the coin that a tx chain begins with.
    await step([60_000])
    expect([await signed(), await reasons()]).toEqual([[], { w: expect.stringContaining('no confirmed coins') }])
    await DB.prepare("UPDATE transactions SET state = 'mined', block_height = 50").run()
    await step([60_000])
    expect([await signed(), await list('transaction_inputs', 'prev_txid')]).toEqual([['w'], [coinId(9)]])
    expect(await read('tx_chains', 'id', 'state')).toEqual({ 1: 'closed', 2: 'open', 3: 'open' })
  })

  it('is sent when a node has taken its transaction, and confirmed when that is deep, with an event each', async () => {
    await addWithdrawal('w')
    await addWithdrawal('signed')
    await add('tx_chains', { id: 1 }, { id: 2, coin_txid: 'b' })
    await add('transactions', { txid: 't', withdrawal_id: 'w' })
    await add('transactions', { txid: 'u', withdrawal_id: 'signed', tx_chain: 2, state: 'signed' })
    const states = () => read('withdrawals', 'id', 'state')
    await step([])
    expect(await states()).toEqual({ w: 'sent', signed: 'waiting' })
    await DB.prepare("UPDATE transactions SET state = 'mined', block_height = 100 WHERE txid = 't'").run()
    await step([])
    expect(await states()).toMatchObject({ w: 'sent' })
    await DB.prepare("UPDATE transactions SET block_height = 99 WHERE txid = 't'").run()
    await step([])
    expect(await states()).toEqual({ w: 'confirmed', signed: 'waiting' })
    expect(await list('events', "type || ' ' || subject")).toEqual(['withdrawal.confirmed w', 'withdrawal.sent w'])
  })

  it('waits while payouts are stopped, which is said as long', async () => {
    await addWithdrawal('w')
    const stopped = expect.stringContaining('has stopped payouts')
    expect([await step([50_000], { stopped: true }), await signed()]).toEqual([false, []])
    expect(await reasons()).toEqual({ w: stopped })
    await step([50_000])
    expect([await signed(), await reasons()]).toEqual([['w'], { w: null }])
  })
})
