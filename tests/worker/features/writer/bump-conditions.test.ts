import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { bumpTxChains } from '../../../../worker/features/writer/raise/bump-tx-chains.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, addMany, clear, list, type Row } from '../../rows.ts'

const { DB } = env
const SCRIPT = `0014${'ab'.repeat(20)}`
const AMOUNT = '0.00090000'
const txid = (id: number | string) => String(id).padStart(64, '0')

let warn: ReturnType<typeof vi.spyOn>
/** Places of the wallet's coins, of outputs that no block has spent, and what the node was asked. */
let coins: [txid: string, vout: number][]
let unspent: Set<unknown>
let asked: string[]

beforeEach(async () => {
  ;[coins, unspent, asked] = [[], new Set(), []]
  await clear('failed_records', 'transaction_inputs', 'transactions', 'tx_chains', 'withdrawals')
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  return () => warn.mockRestore()
})

/** What was made for nothing of a customer's: a bump, or coins gathered. */
const OWN = { withdrawal_id: null, item_id: null }

/** A withdrawal that was quoted 2,000 base units for 1,000 vbytes and pays half of that, in a tx chain of its own; sent at height 90. */
async function addTxChain(id: number, row: Row = {}): Promise<void> {
  await add('tx_chains', { id, coin_txid: txid(`c${id}`), coin_value: '1000000', coin_script: SCRIPT, script: SCRIPT })
  await add('withdrawals', { id: `w${id}`, fee_rate: '2000', state: 'sent' })
  await addTo(id, txid(id), { withdrawal_id: `w${id}`, ...row })
}

async function addTo(txChain: number, name: string, row: Row): Promise<void> {
  const sent = { attempts: 1, sent_height: 90, vsize: 200, fee: '200', change_value: '100000' }
  await add('transactions', { txid: name, tx_chain: txChain, ...sent, ...row })
}

async function bump(height: number, cheap: readonly string[] = []): Promise<boolean> {
  const answer = ({ method, params: [first] }: RpcCall): RpcOutcome => {
    asked.push(method)
    const output = { amount: AMOUNT, scriptPubKey: SCRIPT, address: 'own', confirmations: '3' }
    const results: Record<string, unknown> = {
      estimatesmartfee: { feerate: '0.001' },
      signrawtransactionwithwallet: { hex: first, complete: true },
      listunspent: coins.map(([name, vout]) => ({ ...output, txid: name, vout: String(vout) })),
      gettxout: unspent.has(first) ? { value: AMOUNT, scriptPubKey: { hex: SCRIPT } } : null,
    }
    return { result: method in results ? results[method] : {} }
  }
  const context = { ...contextOf('Bitcoin', 0), rpc: async (calls: readonly RpcCall[]) => calls.map(answer) }
  const unmined = await selectUnmined(DB, 'Bitcoin')
  const evicted = unmined.filter((one) => cheap.includes(one.txid))
  return await bumpTxChains(context, { height, hash: '' }, unmined, evicted)
}

/** The tx chains and places of what was signed to pay more. */
const bumps = async () =>
  (await list('transactions', `IIF(state = 'signed' AND withdrawal_id IS NULL, tx_chain || ' ' || seq, '')`)).filter(
    Boolean,
  )

describe('a tx chain pays more', () => {
  it.each([
    ['what it waits for was sent', { state: 'signed' }],
    ['what it spends is there', { spent_height: 99 }],
  ])('only where %s, and else the node is not asked', async (_, row) => {
    await addTxChain(1, row)
    expect([await bump(100), await bumps(), asked]).toEqual([false, [], []])
  })

  it('at once where a full mempool has evicted it, or what is before it', async () => {
    await addTxChain(1, { sent_height: 99 })
    await addTo(1, txid('e'), { ...OWN, item_id: 'item', item_index: 0, seq: 1, sent_height: 99 })
    await addTxChain(2, { sent_height: 99 })
    expect(await bump(99)).toBe(false)
    expect([await bump(99, [txid(1)]), await bumps()]).toEqual([true, ['1 2']])
  })

  it('again once six blocks have passed its bump by, too', async () => {
    await addTxChain(1)
    await addTo(1, txid('b'), { ...OWN, seq: 1, vsize: 110, fee: '110', sent_height: 95 })
    expect([await bump(100), await bumps()]).toEqual([false, []])
    expect([await bump(101), await bumps()]).toEqual([true, ['1 1']])
  })

  it('where it is full but for the bump that is replaced', async () => {
    await addTxChain(1)
    await addMany('transactions', 23, {
      ...{ txid: "printf('%064x', 65536 + n)", seq: 'n', item_id: "'item'", item_index: 'n', attempts: '1' },
      ...{ vsize: '200', fee: "'200'" },
      ...{ sent_height: '90', change_value: "'1000000'" },
    })
    await addTo(1, txid('b'), { ...OWN, seq: 24, vsize: 110, fee: '110' })
    await DB.prepare("UPDATE withdrawals SET fee_rate = '90000'").run()
    expect([await bump(100), await bumps()]).toEqual([true, ['1 24']])
    expect(await list('failed_records', 'id')).toEqual([])
  })

  it('not where it is full with the bump of one that it goes on from, which is told', async () => {
    await addTxChain(1)
    await addMany('transactions', 22, {
      ...{ txid: "printf('%064x', 65536 + n)", seq: 'n', item_id: "'item'", item_index: 'n', attempts: '1' },
      ...{ vsize: '200', fee: "'200'", sent_height: '90' },
    })
    await addTo(1, txid('b'), { ...OWN, seq: 23, vsize: 110, fee: '110' })
    await addTxChain(2)
    await add('transaction_inputs', { blockchain: 'Bitcoin', prev_txid: txid('b'), prev_vout: 0, txid: txid(2) })
    expect([await bump(100), await bumps()]).toEqual([false, []])
    expect(await list('failed_records', "kind || ' ' || id")).toEqual(['tx_chain 2'])
  })

  it('without a word, nor a look at the coins of the wallet, where it may pay no more than it does', async () => {
    await addTxChain(1, { fee: '1240' })
    expect([await bump(100), await bumps()]).toEqual([false, []])
    expect(asked).not.toContain('listunspent')
    expect(warn).not.toHaveBeenCalled()
  })
})

describe('the money that a tx chain pays more with', () => {
  it('is its own where that is enough: the coins of the wallet are not looked at', async () => {
    await addTxChain(1)
    expect(await bump(96)).toBe(true)
    expect(asked).not.toContain('listunspent')
    expect(warn.mock.calls).toEqual([['tx_chains_stuck', 'Bitcoin', '1 tx chains pay more']])
  })

  it('is of one coin for each tx chain, also where two are of one transaction, or have the same number', async () => {
    for (const id of [1, 2, 3]) await addTxChain(id, { change_value: '600' })
    coins = [
      [txid('c'), 2],
      [txid('c'), 3],
      [txid('d'), 2],
    ]
    expect([await bump(96), await bumps()]).toEqual([true, ['1 1', '2 1', '3 1']])
    const added = await list('transaction_inputs', "IIF(prev_vout = 0, '', ltrim(prev_txid, '0') || prev_vout)")
    expect(added.filter(Boolean)).toEqual(['c2', 'c3', 'd2'])
    expect(warn.mock.calls.flat()).not.toContain('coins_missing')
  })

  it('is never of the coin that its own payment spends, which no block has spent yet', async () => {
    await addTxChain(1, { change_value: '600' })
    await add('transaction_inputs', { blockchain: 'Bitcoin', prev_txid: txid('c1'), prev_vout: 0, txid: txid(1) })
    unspent.add(txid('c1'))
    expect([await bump(96), await bumps()]).toEqual([false, []])
    expect(warn.mock.calls.flat()).toContain('coins_missing')
  })

  it('is that of one coin of many that were made one, where these can not pay more together', async () => {
    await add('tx_chains', { id: 1, coin_txid: txid('c'), coin_value: '1000000', coin_script: SCRIPT, script: SCRIPT })
    await addTo(1, txid('g'), { ...OWN, vsize: 6_800, fee: '6800', change_value: '600' })
    expect([await bump(96), await bumps()]).toEqual([true, ['1 0']])
    expect(await list('transactions', "seq || ' ' || state")).toEqual(['0 dead', '0 signed'])
    expect(await list('transaction_inputs', 'prev_txid')).toEqual([txid('c')])
    expect(asked).not.toContain('listunspent')
  })
})
