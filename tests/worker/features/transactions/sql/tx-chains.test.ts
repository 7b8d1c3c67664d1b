import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  closeTxChainOfCoinStatement,
  closeTxChainsFromStatement,
  closeTxChainsStatement,
  reopenTxChainsStatement,
  selectClosedTxChains,
  selectIdleTxChains,
  selectNextTxChainId,
  selectOpenTxChains,
  selectOwnOutputs,
  selectTxChainScript,
} from '../../../../../worker/features/transactions/sql/tx-chains.ts'
import { add, clear, list } from '../../../rows.ts'
import { addTransactions } from './own-transactions.ts'
import { prepareTables } from './prepare-tables.ts'

const { DB } = env

beforeEach(prepareTables)

describe('tx chains', () => {
  beforeEach(async () => {
    await clear('transactions', 'tx_chains')
    await add(
      'tx_chains',
      { id: 1, coin_txid: 'p' },
      { id: 2, coin_txid: 'q' },
      { id: 3, coin_txid: 'p', coin_vout: 1, state: 'closed' },
    )
    await add(
      'tx_chains',
      { id: 8, coin_txid: 'p', blockchain: 'Dogecoin' },
      { id: 1, coin_txid: 'q', blockchain: 'Dogecoin' },
    )
  })
  const open = () => list("tx_chains WHERE state = 'open'", 'blockchain || id')

  it('are open ones of their chain, with a number above all', async () => {
    expect((await selectOpenTxChains(DB, 'Bitcoin')).map(({ id }) => id)).toEqual([1, 2])
    expect(await selectNextTxChainId(DB, 'Bitcoin')).toBe(4)
    expect(await selectNextTxChainId(DB, 'Nativecoin')).toBe(1)
  })

  it('are closed by their numbers', async () => {
    await closeTxChainsStatement(DB, 'Bitcoin', [1]).run()
    expect(await open()).toEqual(['Bitcoin2', 'Dogecoin1', 'Dogecoin8'])
  })

  it.each([
    ['p:0', ['Bitcoin2', 'Dogecoin1', 'Dogecoin8'], 1],
    ['2', ['Bitcoin1', 'Dogecoin1', 'Dogecoin8'], 1],
    ['p:1', ['Bitcoin1', 'Bitcoin2', 'Dogecoin1', 'Dogecoin8'], 0],
    ['8', ['Bitcoin1', 'Bitcoin2', 'Dogecoin1', 'Dogecoin8'], 0],
  ])('are closed by their coin or number: %s', async (name, left, changes) => {
    expect((await closeTxChainOfCoinStatement(DB, 'Bitcoin', name).run()).meta.changes).toBe(changes)
    expect(await open()).toEqual(left)
  })

  it('are closed whose coin was never there', async () => {
    expect((await closeTxChainsFromStatement(DB, 'Bitcoin', ['p', 'x']).run()).meta.changes).toBe(1)
    expect(await open()).toEqual(['Bitcoin2', 'Dogecoin1', 'Dogecoin8'])
  })

  it('are idle on which nothing waits', async () => {
    await add('tx_chains', ...[4, 5, 6, 7, 9, 10].map((id) => ({ id, coin_txid: `of-${id}` })))
    await addTransactions(
      { txid: 't1', tx_chain: 4, state: 'mined', block_height: 5 },
      { txid: 't2', tx_chain: 5, state: 'mined', block_height: 6 },
    )
    await addTransactions({ txid: 't3', tx_chain: 6, state: 'dead' }, { txid: 't4', tx_chain: 3, state: 'signed' })
    await addTransactions(
      { txid: 'of-7', tx_chain: 3, state: 'sent' },
      { txid: 'of-9', tx_chain: 3, state: 'mined', block_height: 1 },
    )
    await addTransactions(
      { txid: 'd', blockchain: 'Dogecoin', tx_chain: 1 },
      { txid: 'of-10', blockchain: 'Dogecoin', tx_chain: 1 },
    )
    expect(await selectIdleTxChains(DB, 'Bitcoin', 5)).toEqual([1, 2, 4, 6, 9, 10])
  })

  it('are reopened where they are closed', async () => {
    await add('tx_chains', { id: 5, state: 'closed' })
    await add('tx_chains', { id: 3, coin_txid: 'p', coin_vout: 1, state: 'closed', blockchain: 'Dogecoin' })
    expect(await selectClosedTxChains(DB, 'Bitcoin', [1, 3, 4])).toEqual([3])
    await reopenTxChainsStatement(DB, 'Bitcoin', [3]).run()
    expect(await open()).toEqual(['Bitcoin1', 'Bitcoin2', 'Bitcoin3', 'Dogecoin1', 'Dogecoin8'])
  })

  it('know the script of their change, each its own', async () => {
    for (const [id, blockchain, script] of [
      [1, 'Bitcoin', '51'],
      [2, 'Bitcoin', '52'],
      [1, 'Dogecoin', '53'],
    ])
      await DB.prepare('UPDATE tx_chains SET script = ? WHERE id = ? AND blockchain = ?')
        .bind(script, id, blockchain)
        .run()
    expect([await selectTxChainScript(DB, 'Bitcoin', 2), await selectTxChainScript(DB, 'Dogecoin', 1)]).toEqual([
      '52',
      '53',
    ])
    expect(await selectTxChainScript(DB, 'Dogecoin', 2)).toBeUndefined()
  })

  it('know the outputs that they began with, and went on from', async () => {
    await addTransactions({ txid: 't', change_vout: 1 }, { txid: 'd', blockchain: 'Dogecoin', change_vout: 0 })
    const outputs = [
      ['p', 0],
      ['p', 1],
      ['p', 2],
      ['t', 1],
      ['t', 0],
      ['d', 0],
      ['x', 0],
    ].map(([txid, vout]) => ({ txid: String(txid), vout: Number(vout) }))
    expect((await selectOwnOutputs(DB, 'Bitcoin', outputs)).map(({ txid, vout }) => `${txid}:${vout}`)).toEqual([
      'p:0',
      'p:1',
      't:1',
    ])
    await add('tx_chains', { id: 4, coin_txid: 'w', blockchain: 'Dogecoin' })
    expect(await selectOwnOutputs(DB, 'Bitcoin', [{ txid: 'w', vout: 0 }])).toEqual([])
    expect(await selectOwnOutputs(DB, 'Bitcoin', [{ txid: 'none', vout: 0 }])).toEqual([])
  })
})
