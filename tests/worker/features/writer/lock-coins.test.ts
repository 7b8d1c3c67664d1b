import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RpcCall } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { closeIdleTxChains, lockTxChainCoins } from '../../../../worker/features/writer/plan/lock-coins.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { notedStep } from '../../noted-step.ts'
import { add, clear, list } from '../../rows.ts'

beforeEach(async () => {
  await clear('transaction_inputs', 'transactions', 'tx_chains')
})

/** An agent whose wallet has these locked, and what it is asked to lock and to unlock. */
function agent(...locked: string[]) {
  const asked: string[] = []
  const rpc = async (calls: readonly RpcCall[]) =>
    calls.map(({ method, params }) => {
      if (method === 'listlockunspent') return { result: locked.map((txid) => ({ txid, vout: '0' })) }
      const [unlock, coins] = params
      asked.push(`${unlock ? 'unlock' : 'lock'} ${Object(coins)[0].txid}:${Object(coins)[0].vout}`)
      return { result: true }
    })
  const storage = { db: env.DB, bucket: env.BUCKET }
  return { ...notedStep({ blockchain: 'Bitcoin', config: readConfig(env), ...storage, rpc, now: 0 }), asked }
}

/** What is asked for of a wallet that has these locked. */
async function lock(locked: string[] = [], tied: string[] = []): Promise<string[]> {
  const { context, twice, asked } = agent(...locked)
  const coins = tied.map((txid) => ({ txid, vout: 0 }))
  await lockTxChainCoins(context, coins)
  expect(twice).toEqual([])
  return asked
}

describe('coins that are locked', () => {
  it('are what a tx chain starts from, and what withdrawals are tied to, once', async () => {
    await add('tx_chains', { id: 1, coin_txid: 'coin' })
    expect(await lock()).toEqual(['lock coin:0'])
    expect(await lock(['coin'])).toEqual([])
    expect(await lock(['coin'], ['tied'])).toEqual(['lock tied:0'])
  })

  it('are the change at the end of a tx chain from when that was sent; what it spends is unlocked', async () => {
    await add('tx_chains', { id: 1, coin_txid: 'coin' })
    await add('transactions', { txid: 'end', tx_chain: 1, change_vout: 2, state: 'sent' })
    expect(await lock(['coin'])).toEqual(['lock end:2', 'unlock coin:0'])
  })

  it('are what is signed spends, until it was sent, as far as it is of a tx chain', async () => {
    await add('tx_chains', { id: 1, coin_txid: 'coin' })
    await add('transactions', { txid: 'end', tx_chain: 1, state: 'signed' })
    for (const prev_txid of ['coin', 'other']) {
      await add('transaction_inputs', { blockchain: 'Bitcoin', txid: 'end', prev_txid, prev_vout: 0 })
    }
    expect(await lock()).toEqual(['lock coin:0'])
    expect(await lock(['coin', 'other'])).toEqual([])
  })

  it('and are of no tx chain are left alone', async () => {
    await add('tx_chains', { id: 1, coin_txid: 'coin', state: 'closed' })
    expect(await lock(['other'])).toEqual([])
    expect(await lock(['coin', 'other'])).toEqual(['unlock coin:0'])
  })
})

it('a tx chain is closed once its last transaction is as deep as coins must be, here two blocks', async () => {
  await add('tx_chains', { id: 1, coin_txid: 'coin' })
  await add('transactions', { txid: 'end', tx_chain: 1, state: 'mined', block_height: 99 })
  const { context, twice } = agent()
  expect(context.config.chains.Bitcoin.confirmations).toBe(2)
  await closeIdleTxChains(context, { height: 99, hash: '' })
  expect(await list('tx_chains', 'state')).toEqual(['open'])
  await closeIdleTxChains(context, { height: 100, hash: '' })
  expect(await list('tx_chains', 'state')).toEqual(['closed'])
  expect(twice).toEqual([])
})
