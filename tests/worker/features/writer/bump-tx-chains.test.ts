import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { selectUnmined } from '../../../../worker/features/wallet/sql/transactions.ts'
import { bumpTxChains } from '../../../../worker/features/writer/bump-tx-chains.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { notedStep } from '../../noted-step.ts'
import { add, clear, list, type Row } from '../../rows.ts'

const SCRIPT = `0014${'ab'.repeat(20)}`
/** What a tx chain of one of 200 vbytes that was quoted 2,000 base units for 1,000 may pay in all, its bump of 110 included. */
const MOST = 800 + 440

beforeEach(async () => {
  await clear('set_aside', 'transaction_inputs', 'transactions', 'lanes', 'withdrawals')
  const log = vi.spyOn(console, 'warn').mockImplementation(() => {})
  return () => log.mockRestore()
})

/** A withdrawal that was quoted 2,000 base units for 1,000 vbytes, in a tx chain of its own; sent at height 90. */
async function addTxChain(id: number, row: Row = {}): Promise<void> {
  await add('lanes', { id, coin_txid: `coin ${id}`, script: SCRIPT })
  await add('withdrawals', { id: `w${id}`, fee_rate: '2000', state: 'sent' })
  await add('transactions', {
    ...{ txid: String(id).padStart(64, '0'), lane: id, withdrawal_id: `w${id}`, vsize: 200, fee: '200', attempts: 1 },
    ...{ change_value: '100000', sent_height: 90, ...row },
  })
}

const FEES: Record<string, RpcOutcome> = {
  estimatesmartfee: { result: { feerate: '0.001' } },
  getmempoolinfo: { result: {} },
}

async function bump(height: number): Promise<boolean> {
  const context = {
    ...{ blockchain: 'Bitcoin' as const, config: readConfig(env), db: env.DB, bucket: env.BUCKET, now: 0 },
    rpc: async (calls: readonly RpcCall[]) =>
      calls.map(
        ({ method, params: [hex] }): RpcOutcome =>
          method === 'signrawtransactionwithwallet'
            ? { result: { hex, complete: true } }
            : (FEES[method] ?? { error: { code: -32601, message: 'no such method' } }),
      ),
  }
  const { context: noted, twice } = notedStep(context)
  const bumped = await bumpTxChains(noted, { height, hash: '' }, await selectUnmined(env.DB, 'Bitcoin'), [])
  expect(twice).toEqual([])
  return bumped
}

const bumps = () => list('transactions', `IIF(withdrawal_id IS NULL, lane || ' ' || seq || ' ' || fee, '')`)

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
})
