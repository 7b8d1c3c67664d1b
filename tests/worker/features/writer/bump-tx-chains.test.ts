import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { bumpTxChains } from '../../../../worker/features/writer/raise/bump-tx-chains.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { notedStep } from '../../noted-step.ts'
import { add, addMany, clear, list, type Row } from '../../rows.ts'

const SCRIPT = `0014${'ab'.repeat(20)}`
/** What a tx chain of one of 200 vbytes that was quoted 2,000 base units for 1,000 may pay in all, its bump of 110 included. */
const MOST = 800 + 440

beforeEach(async () => {
  Object.assign(wallet, { coins: [], unspent: {} })
  await clear('failed_records', 'transaction_inputs', 'transactions', 'tx_chains', 'withdrawals')
  const log = vi.spyOn(console, 'warn').mockImplementation(() => {})
  return () => log.mockRestore()
})

/** A withdrawal that was quoted 2,000 base units for 1,000 vbytes, in a tx chain of its own; sent at height 90. */
async function addTxChain(id: number, row: Row = {}): Promise<void> {
  await add('tx_chains', { id, coin_txid: `coin ${id}`, script: SCRIPT })
  await add('withdrawals', { id: `w${id}`, fee_rate: '2000', state: 'sent' })
  await add('transactions', {
    ...{
      txid: String(id).padStart(64, '0'),
      tx_chain: id,
      withdrawal_id: `w${id}`,
      vsize: 200,
      fee: '200',
      attempts: 1,
    },
    ...{ change_value: '100000', sent_height: 90, ...row },
  })
}

const FEES: Record<string, RpcOutcome> = {
  estimatesmartfee: { result: { feerate: '0.001' } },
  getmempoolinfo: { result: {} },
}

/** The coins of the wallet, and those of its outputs that no block has spent. */
const wallet: { coins: unknown[]; unspent: Record<string, unknown> } = { coins: [], unspent: {} }

async function bump(height: number): Promise<boolean> {
  const context = {
    ...{ blockchain: 'Bitcoin' as const, config: readConfig(env), db: env.DB, bucket: env.BUCKET, now: 0 },
    rpc: async (calls: readonly RpcCall[]) =>
      calls.map(({ method, params: [hex] }): RpcOutcome => {
        if (method === 'signrawtransactionwithwallet') return { result: { hex, complete: true } }
        if (method === 'listunspent') return { result: wallet.coins }
        if (method === 'gettxout') return { result: wallet.unspent[String(hex)] ?? null }
        return FEES[method] ?? { error: { code: -32601, message: 'no such method' } }
      }),
  }
  const { context: noted, twice } = notedStep(context)
  const bumped = await bumpTxChains(noted, { height, hash: '' }, await selectUnmined(env.DB, 'Bitcoin'), [])
  expect(twice).toEqual([])
  return bumped
}

const bumps = () => list('transactions', `IIF(withdrawal_id IS NULL, tx_chain || ' ' || seq || ' ' || fee, '')`)

describe('the tx chain of a withdrawal', () => {
  it('pays more when six blocks passed it by, within what the withdrawal was quoted', async () => {
    expect(readConfig(env).feeCeilingPercent).toBe(200)
    await addTxChain(1)
    expect(await bump(95)).toBe(false)
    expect(await bump(96)).toBe(true)
    expect(await bumps()).toEqual(['', `1 1 ${MOST - 200}`])
  })

  it('does so where another one need not', async () => {
    await addTxChain(1)
    await addTxChain(2, { sent_height: 95 })
    expect(await bump(100)).toBe(true)
    expect(await bumps()).toEqual(['', '', `1 1 ${MOST - 200}`])
    // A bump is given as many blocks as what it is for.
    await env.DB.prepare(`UPDATE transactions SET state = 'sent', sent_height = IFNULL(sent_height, 100)`).run()
    expect(await bump(100)).toBe(false)
  })

  it('is left alone where another transaction of ours spends its end, and others pay more all the same', async () => {
    await addTxChain(1)
    await addTxChain(2)
    const end = { blockchain: 'Bitcoin', prev_txid: '1'.padStart(64, '0'), prev_vout: 0 }
    await add('transaction_inputs', { ...end, txid: 'a withdrawal that goes on from it' })
    expect(await bump(96)).toBe(true)
    expect(await bumps()).toEqual(['', '', `2 1 ${MOST - 200}`])
  })
})

describe('a tx chain that goes on from one that a reorganisation took back', () => {
  const goesOn = (id: number, from: number, vout = 0) =>
    add('transaction_inputs', {
      ...{ blockchain: 'Bitcoin', prev_txid: String(from).padStart(64, '0'), prev_vout: vout },
      txid: String(id).padStart(64, '0'),
    })

  it('pays for that as well, within what both were quoted, though it has waited for no block itself', async () => {
    await addTxChain(1)
    await addTxChain(2, { fee: '400', sent_height: 96 })
    await env.DB.prepare("UPDATE tx_chains SET state = 'closed' WHERE id = 1").run()
    await goesOn(2, 1)
    expect(await bump(96)).toBe(true)
    expect(await bumps()).toEqual(['', '', `2 1 ${800 + MOST - 600}`])
    expect(await list('failed_records', 'id')).toEqual([])
  })

  it('pays for all below that, too, and for what its other coins come from', async () => {
    for (const id of [1, 2, 3, 4]) await addTxChain(id)
    await goesOn(2, 1)
    await goesOn(4, 2)
    await goesOn(4, 3)
    expect(await bump(96)).toBe(true)
    expect(await bumps()).toEqual(['', '', '', '', `4 1 ${3 * 800 + MOST - 800}`])
  })

  it('does not where it goes on from a coin that was split off: the other has its end, and pays by itself', async () => {
    await addTxChain(1)
    await addTxChain(2)
    await goesOn(2, 1, 1)
    expect(await bump(96)).toBe(true)
    expect(await bumps()).toEqual(['', '', `1 1 ${MOST - 200}`, `2 1 ${MOST - 200}`])
  })

  it('is told of where more waits than a node lets hang together', async () => {
    await addTxChain(1)
    await addMany('transactions', 23, {
      ...{ txid: "printf('%064x', 65536 + n)", seq: 'n', item_id: "'item'", item_index: 'n' },
      ...{ vsize: '200', fee: "'200'", attempts: '1', sent_height: '90' },
    })
    await addTxChain(2)
    await env.DB.prepare(
      "INSERT INTO transaction_inputs SELECT 'Bitcoin', printf('%064x', 65536 + 23), 0, printf('%064x', 2)",
    ).run()
    expect(await bump(96)).toBe(false)
    expect(await list('failed_records', "kind || ' ' || id")).toEqual(['tx_chain 2'])
  })
})

describe('a tx chain that has not the money to pay more', () => {
  const AMOUNT = '0.00090000'
  const coin = (letter: string, fields = {}) => ({
    ...{
      txid: letter.repeat(64),
      vout: '2',
      amount: AMOUNT,
      scriptPubKey: SCRIPT,
      address: 'an address',
      confirmations: '3',
    },
    ...fields,
  })
  const inputs = () =>
    list('transaction_inputs', `substr(prev_txid, 1, 2) || ' ' || prev_vout || ' ' || substr(txid, 1, 0)`)
  const live = () =>
    list(
      'transactions',
      `IIF(withdrawal_id IS NULL, tx_chain || ' ' || seq || ' ' || state || ' ' || change_value, '')`,
    )
  /** What two inputs may pay in all: the second takes 68 vbytes. */
  const ALL = MOST + 272

  it('spends a confirmed coin of the wallet with its change, once, and no other tx chain gets that', async () => {
    await addTxChain(1, { change_value: '600' })
    await addTxChain(2, { change_value: '600' })
    wallet.coins = [coin('c')]
    expect(await bump(96)).toBe(true)
    expect(await live()).toEqual(['', '', `1 1 signed ${90_000 + 600 + 200 - ALL}`])
    expect(await inputs()).toEqual(['00 0 ', 'cc 2 '])
    // The wallet lists it until the bump is sent.
    expect(await bump(96)).toBe(false)
    expect(await inputs()).toEqual(['00 0 ', 'cc 2 '])
  })

  it('spends no coin that another tx chain goes on from, or that a withdrawal is tied to', async () => {
    await addTxChain(1, { change_value: '600' })
    await add('tx_chains', { id: 3, coin_txid: 'd'.repeat(64), coin_vout: 2, script: SCRIPT })
    await add('withdrawals', { id: 'tied', state: 'waiting', coin_txid: 'e'.repeat(64), coin_vout: 2 })
    wallet.coins = [coin('d'), coin('e')]
    expect(await bump(96)).toBe(false)
    expect(await inputs()).toEqual([])
  })

  it('spends the same coin again where a dearer bump takes the place of one', async () => {
    await addTxChain(1, { change_value: '600', fee: '100' })
    const before = 'b'.repeat(64)
    await add('transactions', {
      ...{
        txid: before,
        tx_chain: 1,
        seq: 1,
        withdrawal_id: null,
        item_id: null,
        vsize: 178,
        fee: '300',
        state: 'sent',
      },
      ...{ attempts: 1, change_value: '90300', sent_height: 90 },
    })
    await add('transaction_inputs', {
      blockchain: 'Bitcoin',
      prev_txid: '1'.padStart(64, '0'),
      prev_vout: 0,
      txid: before,
    })
    await add('transaction_inputs', { blockchain: 'Bitcoin', prev_txid: 'c'.repeat(64), prev_vout: 2, txid: before })
    wallet.unspent = { ['c'.repeat(64)]: { value: AMOUNT, scriptPubKey: { hex: SCRIPT } } }
    expect(await bump(96)).toBe(true)
    expect(await live()).toEqual(['', '1 1 dead 90300', `1 1 signed ${90_000 + 600 + 100 - ALL}`])
    expect(await inputs()).toEqual(['00 0 ', 'cc 2 '])
  })
})
