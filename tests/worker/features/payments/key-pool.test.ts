import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { walletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { findKeyPoolProblem, requireKeys } from '../../../../worker/features/payments/check-key-pool.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { noted } from '../../noted-calls.ts'
import { add, addMany, clear } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { askPayment, mergedItem, newUser, readAnswer } from './pay-for-items.ts'

useDevnet()
const TABLES = ['outputs', 'ledger', 'payment_request_items', 'payment_requests', 'addresses']
beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await clear(...TABLES)
})
afterEach(() => clear(...TABLES))

/** Addresses of many accounts that nothing came to, given out before all others. The wallet of Bitcoin makes 1,000 keys ahead. */
const giveOut = (count: number, blockchain = 'Bitcoin') =>
  addMany('addresses', count, {
    ...{ blockchain: `'${blockchain}'`, address: "'a' || n", script: "'s' || n", user_id: "'u' || n" },
    ...{ kind: "'request'", created_at: 'n' },
  })
const problem = async () => {
  const rpc = walletRpc(readConfig(env).chains.Bitcoin)
  return rpc && (await findKeyPoolProblem(env.DB, rpc, 'Bitcoin'))
}

describe('addresses in a row that nothing was paid to', () => {
  it('are told to the operator from half of the key pool on', async () => {
    await giveOut(499)
    expect(await problem()).toBeUndefined()
    await add('addresses', { address: 'one more', created_at: 500 })
    expect(await problem()).toBe(
      '500 addresses in a row were given out and not paid; the key pool of the wallet has 1000',
    )
  })

  it('are counted from the newest on that was paid in a block', async () => {
    await giveOut(900)
    await add('outputs', { txid: 'mempool', address: 'a899', in_mempool: 1 })
    expect(await problem()).toContain('900 addresses')
    await add('outputs', { txid: 'mined', address: 'a300', block_height: 1 })
    expect(await problem()).toContain('600 addresses')
    await add('outputs', { txid: 'later', address: 'a700', block_height: 2 })
    expect(await problem()).toBeUndefined()
  })

  it('leave the last tenth of the key pool to accounts that have paid', async () => {
    const { api, userId } = await newUser()
    const item = await mergedItem(api, 'Bitcoin')
    await giveOut(900)
    const refused = { status: 503, code: 'payment_unavailable', message: expect.stringContaining('first payment') }
    const answer = await api.send('GET', '/payment/Bitcoin')
    expect(answer.headers.get('Retry-After')).toBe('600')
    expect(await readAnswer(answer)).toMatchObject(refused)
    expect(await askPayment(api, [item], 'Bitcoin')).toMatchObject(refused)
    expect(await readAnswer(await api.send('GET', '/payment/Nativecoin'))).toMatchObject({ status: 200 })
    await add('ledger', {
      user_id: userId,
      blockchain: 'Dogecoin',
      seq: 1,
      amount: '1',
      balance: '1',
      cause: 'output:x:0',
    })
    expect(await readAnswer(await api.send('GET', '/payment/Bitcoin'))).toMatchObject({ status: 200 })
    expect(await askPayment(api, [item], 'Bitcoin')).toMatchObject({ status: 402 })
  })

  it('are a tenth fewer, and everybody gets one', async () => {
    const { api } = await newUser()
    await giveOut(899)
    expect(await readAnswer(await api.send('GET', '/payment/Bitcoin'))).toMatchObject({ status: 200 })
  })

  it('are fewer where the wallet makes fewer keys ahead', async () => {
    const { api } = await newUser()
    await giveOut(90, 'Dogecoin')
    expect(await readAnswer(await api.send('GET', '/payment/Dogecoin'))).toMatchObject({ status: 503 })
  })

  it('are refused to nobody, and no problem, where the node does not say how many keys its wallet makes ahead', async () => {
    await giveOut(900)
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { context } = noted()
    const rpc = async () => [{ result: {} }]
    expect(await findKeyPoolProblem(env.DB, rpc, 'Bitcoin')).toBeUndefined()
    await requireKeys(context, rpc, 'Bitcoin', 'nobody')
    expect(warn).not.toHaveBeenCalled()
  })
})
