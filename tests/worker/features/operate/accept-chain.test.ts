import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { INITIAL_SCAN_BLOCKS } from '../../../../worker/chain/follower/blocks.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { acceptChain } from '../../../../worker/features/operate/accept-chain.ts'
import { type PaymentContext, requestContext } from '../../../../worker/features/payments/payment-context.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { beforeBatch } from '../../before-batch.ts'
import { askedTwice, noted } from '../../noted-calls.ts'
import { add, clear, list, read } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

const chain = useDevnet()
const TABLES = ['outputs', 'transactions', 'tx_chains', 'blocks', 'wallet_scans', 'chain_states']
beforeEach(() => clear(...TABLES))
afterEach(() => clear(...TABLES))

it('takes what is in blocks above the one that both chains share off the chain, wherever it begins to follow', async () => {
  chain.mine('Bitcoin', 20)
  const shared = String(chain.call('Bitcoin', 'getblockhash', [2]))
  await add('blocks', { height: 9, hash: 'f'.repeat(64) })
  await add('outputs', { txid: 'shared', block_height: 2, block_hash: shared })
  for (const height of [3, 6, 8])
    await add('outputs', { txid: `lost-${height}`, block_height: height, block_hash: 'e' })
  await add('tx_chains', { id: 1 })
  await add('transactions', { txid: 'written', state: 'mined', block_height: 6, block_hash: 'e' })
  const context = requestContext(env.DB, readConfig(env))
  expect(await acceptChain(context, 'Bitcoin', 12, () => [])).toMatchObject({ height: 12 })
  expect(await read('outputs', 'txid', 'block_height')).toEqual({
    ...{ shared: 2, 'lost-3': null, 'lost-6': null, 'lost-8': null },
  })
  expect([await list('transactions', 'state'), await list('blocks', 'height')]).toEqual([['sent'], [12]])
})

it('has the whole wallet searched again for what left it, wherever it begins to follow', async () => {
  chain.mine('Bitcoin', 20)
  const hash = String(chain.call('Bitcoin', 'getblockhash', [2]))
  await add('blocks', { height: 30, hash: 'f'.repeat(64) })
  await add('outputs', { txid: 'shared', block_height: 2, block_hash: hash })
  const scan = { blockchain: 'Bitcoin', height: 30, hash: 'f'.repeat(64), tx_count: 7, sends_known: 1 }
  await add('wallet_scans', scan)
  await acceptChain(requestContext(env.DB, readConfig(env)), 'Bitcoin', 12, () => [])
  expect([await list('wallet_scans', 'tx_count'), await list('wallet_scans', 'height')]).toEqual([[0], [12]])
})

describe('another chain', () => {
  beforeEach(async () => {
    chain.mine('Bitcoin', 20)
    await add('blocks', { height: 9, hash: 'f'.repeat(64) })
  })
  const accept = (given: Partial<PaymentContext> = {}, height?: number) =>
    acceptChain({ ...requestContext(env.DB, readConfig(env)), ...given }, 'Bitcoin', height, () => [])
  const followed = () => list('blocks', "height || ' ' || hash")

  it('is not accepted while its node is syncing', async () => {
    const node = requestContext(env.DB, readConfig(env)).rpcOf('Bitcoin')
    const syncing: WalletRpc = async (calls) => {
      const outcomes = (await node?.(calls)) ?? []
      if (calls[0]?.method !== 'getblockchaininfo') return outcomes
      const [first] = outcomes
      return first && 'result' in first
        ? [{ result: Object.assign({}, first.result, { initialblockdownload: true }) }]
        : []
    }
    await expect(accept({ rpcOf: () => syncing })).rejects.toMatchObject({ status: 503 })
    expect(await followed()).toEqual([`9 ${'f'.repeat(64)}`])
  })

  it('is not accepted where its node is only behind, which the refusal says with both heights', async () => {
    await clear('blocks')
    const tip = Number(chain.call('Bitcoin', 'getblockcount'))
    const hash = String(chain.call('Bitcoin', 'getbestblockhash'))
    await add('blocks', { height: tip, hash }, { height: tip + 2, hash: 'e'.repeat(64) })
    const message = expect.stringContaining(`it is at ${tip}, we are at ${tip + 2}`)
    await expect(accept()).rejects.toMatchObject({ code: 'nothing_to_accept', message })
  })

  it('is not accepted where another block was followed meanwhile, or none is followed', async () => {
    const db = beforeBatch(env.DB, () => add('blocks', { height: 10, hash: 'e'.repeat(64) }))
    await expect(accept({ db })).rejects.toMatchObject({ code: 'nothing_to_accept' })
    expect(await list('blocks', 'height')).toEqual([9, 10])
    await clear('blocks')
    await expect(accept()).rejects.toMatchObject({ code: 'nothing_to_accept' })
  })

  it('is followed from where it forks where something of ours is above that, and else from its newest blocks on', async () => {
    const tip = Number(chain.call('Bitcoin', 'getblockcount'))
    await add('outputs', { txid: 'known', block_height: 5, block_hash: 'e' })
    const { context, calls } = noted()
    expect(await accept(context)).toMatchObject({ height: 0 })
    expect(askedTwice(calls)).toEqual([])
    await clear('outputs', 'blocks')
    await add('blocks', { height: 9, hash: 'f'.repeat(64) })
    expect((await accept()).height).toBe(Math.max(0, tip - INITIAL_SCAN_BLOCKS))
  })
})
