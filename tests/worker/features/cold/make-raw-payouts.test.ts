import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { formatAmount } from '../../../../protocol/amount.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { payFromCold } from '../../../../worker/features/cold/pay-from-cold.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, addMany, clear, count, list, read } from '../../rows.ts'

const COIN = 100_000_000n
const COLD = `76a914${'11'.repeat(20)}88ac`
const tip = { height: 9, hash: 'tip' }
const asked = { blockchain: 'Dogecoin', cold: 1, script: `76a914${'22'.repeat(20)}88ac`, fee_rate: String(COIN) }

beforeEach(async () => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  await clear('psbts', 'psbt_inputs', 'withdrawals', 'blocks', 'stops', 'payout_numbers', 'set_aside', 'ledger')
  await clear('transaction_inputs', 'transactions', 'lanes')
  await add('blocks', { blockchain: 'Dogecoin', ...tip })
})
afterEach(() => void vi.restoreAllMocks())

const txidOf = (n: number) => n.toString(16).padStart(64, '0')
const withdraw = (id: string, coins: number, more: object = {}) =>
  add('withdrawals', { ...asked, id, amount: String(BigInt(coins) * COIN), fee: String(COIN), ...more })

/** A step of an agent whose offline address has coins of these values, in coins, at a node that estimates fees as `fees` says. */
async function step(values: readonly number[], more: Record<string, unknown> = {}, fees = ''): Promise<void> {
  const context = contextOf('Dogecoin')
  const chains = { ...context.config.chains, Dogecoin: { ...context.config.chains.Dogecoin, coldAddress: 'offline' } }
  const coins = values.map((value, n) => {
    const place = { txid: txidOf(n), vout: '0', address: 'offline', scriptPubKey: COLD }
    return { ...place, amount: formatAmount(BigInt(value) * COIN), confirmations: '90', spendable: false, ...more }
  })
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ method, params: [first] }) => {
      if (method === 'estimatesmartfee') return { result: first === 2 && fees !== '' ? { feerate: fees } : {} }
      if (method === 'listunspent') {
        return { result: coins.filter(({ confirmations }) => Number(confirmations) >= Number(first)) }
      }
      if (method === 'validateaddress') return { result: { isvalid: true, scriptPubKey: COLD } }
      return { result: {} }
    })
  const numbers = { read: async () => 0, write: async () => {} }
  await payFromCold({ ...context, rpc, numbers, config: { ...context.config, chains } }, tip)
}
const spent = async () =>
  (await list('psbt_inputs', "withdrawal_id || ' ' || txid")).map((one) => String(one).replace(/ 0+(?=.)/, ' '))

describe('transactions that are handed out to be signed', () => {
  it('spend each coin once, also those of one step', async () => {
    await withdraw('first', 10, { created_at: 1 })
    await withdraw('next', 10, { created_at: 2 })
    await withdraw('third', 10, { created_at: 3 })
    await step([20, 20])
    expect(await spent()).toEqual(['first 0', 'next 1'])
    expect(await read('withdrawals', 'id', 'reason')).toMatchObject({
      third: expect.stringContaining('no confirmed coins'),
    })
  })

  it('spend no coin that a transaction of ours spends, or another withdrawal is tied to', async () => {
    await add('lanes', { id: 1, blockchain: 'Dogecoin' })
    await add('transactions', { txid: 'ours', blockchain: 'Dogecoin' })
    await add('transaction_inputs', { blockchain: 'Dogecoin', prev_txid: txidOf(0), prev_vout: 0, txid: 'ours' })
    await add('psbt_inputs', { blockchain: 'Dogecoin', txid: txidOf(1), vout: 0, withdrawal_id: 'another' })
    await withdraw('tied', 99, { coin_txid: txidOf(2), coin_vout: 0, coin_value: '1', coin_script: COLD })
    await withdraw('asks', 10)
    await step([20, 20, 20, 20])
    expect(await spent()).toEqual(['another 1', 'asks 3'])
  })

  it('are made at the fee rate of the next blocks, since they are signed later, and wait where that is too high', async () => {
    await withdraw('dear', 10)
    await step([20], {}, '100')
    expect(await spent()).toEqual([])
    await step([20], {}, '0.01')
    expect(await spent()).toEqual(['dear 0'])
  })

  it('spend nothing that is not at the address itself, or that the wallet could spend', async () => {
    await withdraw('waits', 10)
    await step([20], { spendable: true })
    await step([20], { address: 'another' })
    await step([20], { scriptPubKey: `a914${'11'.repeat(20)}87` })
    expect(await spent()).toEqual([])
  })

  it('spend a coin of six confirmations, and none of fewer: it may be long until they are signed', async () => {
    await withdraw('deep', 10)
    await step([20], { confirmations: '5' })
    expect(await spent()).toEqual([])
    await step([20], { confirmations: '6' })
    expect(await spent()).toEqual(['deep 0'])
  })

  it('are five in a step, and a hundred at once, of which the others are told', async () => {
    for (const n of [1, 2, 3, 4, 5, 6]) await withdraw(`${n}`, 10)
    const values = new Array<number>(9).fill(20)
    await step(values)
    expect(await count('psbts')).toBe(5)
    const change = { change_vout: '0', change_value: "'0'", change_script: "''" }
    const row = {
      blockchain: "'Dogecoin'",
      txid: 'n',
      psbt: `'{"hex":"","since":"","spent":[]}'`,
      fee: "'1'",
      vsize: '1',
    }
    await addMany('withdrawals', 95, {
      blockchain: "'Dogecoin'",
      cold: '1',
      id: "'w' || n",
      coin_txid: "'x' || n",
      coin_vout: '0',
      coin_value: "'1'",
      coin_script: "''",
    })
    await addMany('psbts', 95, { withdrawal_id: "'w' || n", ...row, ...change, created_at: '0' })
    await step(values)
    expect([await count('psbts'), await list('withdrawals WHERE reason IS NOT NULL AND id = 6', 'reason')]).toEqual([
      ...[100, [expect.stringContaining('Many withdrawals wait')]],
    ])
  })

  it('are not made above the fee that was debited, nor while fees are far above its rate', async () => {
    await withdraw('cheap', 10, { fee: '1' })
    await withdraw('dear', 10, { fee_rate: '1' })
    await step([20, 20])
    expect(await spent()).toEqual([])
    const reasons = await read('withdrawals', 'id', 'reason')
    expect(Object.values(reasons)).toEqual([expect.stringContaining('fee'), expect.stringContaining('fee')])
  })

  it('are made in no chain that has no offline coins, and of no withdrawal that the other wallet pays', async () => {
    await withdraw('hot', 10, { cold: 0 })
    await withdraw('held', 10, { state: 'held' })
    await withdraw('ends', 10, { ending: 'refunded' })
    await step([20, 20, 20])
    expect(await spent()).toEqual([])
  })
})
