import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { formatAmount } from '../../../../protocol/amount.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { walletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { openRequest } from '../../../../worker/features/payments/open-request.ts'
import { selectBalances } from '../../../../worker/features/payments/sql/ledger.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { connect } from '../../../kit/call-devnet.ts'
import { useDevnet } from '../../use-devnet.ts'
import type { Api } from '../items/api.ts'
import { askPayment, mergedItem, newUser, pricedItem, readAnswer, showItem } from './pay-for-items.ts'

const chain = useDevnet()
beforeEach(() => chain.setAhead(0))

const HOUR = 3_600_000
const AFTER_EXPIRY = HOUR + 60_000
const statusOf = async (api: Api, id: string) => (await showItem(api, id)).status

/** An item whose payment is in the mempool, and was seen there. */
async function seenPayment() {
  const { api } = await newUser()
  const { id, address, amount } = await pricedItem(api, 'Bitcoin')
  const txid = chain.pay('Bitcoin', address, amount)
  await chain.work('Bitcoin')
  return { api, id, txid, address, amount }
}

describe('a payment that was made in time', () => {
  it('counts although a block takes it out of the mempool while the agent looks, after the request expired', async () => {
    const { api, id } = await seenPayment()
    chain.setAhead(AFTER_EXPIRY)
    chain.before('getmempoolentry', () => chain.mine('Bitcoin'))
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(await statusOf(api, id)).toBe('202 Accepted')
  })

  it('counts although the mempool forgot it for a while when the request expired', async () => {
    const { api, id, txid, address, amount } = await seenPayment()
    const raw = chain.call('Bitcoin', 'getrawtransaction', [txid])
    chain.evict('Bitcoin', txid)
    chain.setAhead(AFTER_EXPIRY)
    await chain.work('Bitcoin')
    expect(await askPayment(api, [id], 'Bitcoin')).toMatchObject({ status: 402, address, amount })
    chain.call('Bitcoin', 'sendrawtransaction', [raw])
    await chain.confirm('Bitcoin', 2)
    expect(await statusOf(api, id)).toBe('202 Accepted')
  })

  it('no longer holds its items a day after the request expired', async () => {
    const { api, id, txid, address } = await seenPayment()
    chain.evict('Bitcoin', txid)
    chain.setAhead(25 * HOUR + 60_000)
    await chain.work('Bitcoin')
    expect((await askPayment(api, [id], 'Bitcoin')).address).not.toBe(address)
  })

  it('counts although the node was down from before it was sent until it had expired', async () => {
    const { api } = await newUser()
    const { id, address, amount } = await pricedItem(api, 'Bitcoin')
    chain.setAhead(HOUR / 2)
    chain.pay('Bitcoin', address, amount)
    chain.mine('Bitcoin')
    chain.setAhead(AFTER_EXPIRY)
    // What a wallet says that first met the transaction in a block, when it caught up.
    chain.receivedNow('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(await statusOf(api, id)).toBe('202 Accepted')
  })

  it('counts although the request expired when the node was back and had not caught up yet', async () => {
    const { api } = await newUser()
    const { id, address, amount } = await pricedItem(api, 'Bitcoin')
    chain.setAhead(AFTER_EXPIRY)
    await chain.work('Bitcoin')
    // What it is told now is of the time at which it was down.
    chain.setAhead(HOUR / 2)
    chain.pay('Bitcoin', address, amount)
    chain.mine('Bitcoin')
    chain.setAhead(AFTER_EXPIRY + 60_000)
    await chain.work('Bitcoin')
    expect(await statusOf(api, id)).toBe('402 Payment Required')
    await chain.confirm('Bitcoin', 2)
    expect(await statusOf(api, id)).toBe('202 Accepted')
  })

  it('becomes balance when its items were asked for anew before the node had caught up, and buys nothing unasked', async () => {
    const { userId, api } = await newUser()
    const { id, address, amount } = await pricedItem(api, 'Bitcoin')
    chain.setAhead(AFTER_EXPIRY)
    await chain.work('Bitcoin')
    const anew = await askPayment(api, [id], 'Bitcoin')
    expect(anew.address).not.toBe(address)
    chain.setAhead(HOUR / 2)
    chain.pay('Bitcoin', address, amount)
    chain.mine('Bitcoin')
    chain.setAhead(AFTER_EXPIRY + 60_000)
    await chain.confirm('Bitcoin', 2)
    expect(await statusOf(api, id)).toBe('402 Payment Required')
    expect(Number(formatAmount((await selectBalances(env.DB, userId)).Bitcoin))).toBe(amount)
  })

  it('is late when it was first seen after the request expired', async () => {
    const { api } = await newUser()
    const { id, address, amount } = await pricedItem(api, 'Bitcoin')
    chain.setAhead(AFTER_EXPIRY)
    chain.pay('Bitcoin', address, amount)
    await chain.confirm('Bitcoin', 2)
    expect(await statusOf(api, id)).toBe('402 Payment Required')
  })
})

it('a request asks the price of the place that is stored at, whatever chain it is paid on', async () => {
  const { userId, api } = await newUser()
  const set = readConfig(env)
  const nativecoin = { ...set.chains.Nativecoin, pricePerKib: 5_000n }
  const config = {
    ...{ ...set, ipfs: { ...set.ipfs, pricePerKib: 70_000n } },
    chains: { ...set.chains, Nativecoin: nativecoin },
  }
  const rpcOf = (blockchain: Blockchain) => walletRpc(config.chains[blockchain])
  const storageFee = async (target: 'IPFS' | 'Nativecoin') => {
    const order = { userId, target, ids: [await mergedItem(api, target)] }
    const outcome = await openRequest({ db: env.DB, config, rpcOf, now: Date.now() }, order)
    return outcome.state === 'waiting' ? outcome.request.parts.storageFee : undefined
  }
  expect([await storageFee('IPFS'), await storageFee('Nativecoin')]).toEqual([70_000n, 5_000n])
})

describe('a request that expired before the agent looked', () => {
  async function expired() {
    const { userId, api } = await newUser()
    const { id, address, amount } = await pricedItem(api, 'Bitcoin')
    const config = readConfig(env)
    const rpcOf = (blockchain: Blockchain) => walletRpc(config.chains[blockchain])
    const order = { userId, target: 'Bitcoin' as const, ids: [id] }
    const ask = () => openRequest({ db: env.DB, config, rpcOf, now: Date.now() + AFTER_EXPIRY }, order)
    return { address, amount, ask }
  }

  it('stays when its payment is on its way', async () => {
    const { address, amount, ask } = await expired()
    chain.pay('Bitcoin', address, amount)
    expect(await ask()).toMatchObject({ state: 'waiting', request: { address } })
  })

  it('stays while the node is down, which may know of its payment', async () => {
    const { address, ask } = await expired()
    chain.breakNodes(true)
    await expect(ask()).rejects.toMatchObject({ status: 503, code: 'payment_unavailable' })
    chain.breakNodes(false)
    const again = await ask()
    expect(again).toMatchObject({ state: 'waiting' })
    expect(again).not.toMatchObject({ request: { address } })
  })
})

// The last: blocks that are mined ahead of the clock hold back the time of those behind them.
describe('a payment in time', () => {
  it('counts although its fee was raised after the request expired, and is one payment', async () => {
    const { api, id, txid, address } = await seenPayment()
    chain.setAhead(AFTER_EXPIRY)
    const bumped = Object(connect(chain.devnet, 'Bitcoin', 'faucet')('bumpfee', txid))
    await chain.work('Bitcoin')
    const shown = await readAnswer(await api.send('GET', `/payment?address=${address}`))
    expect(shown).toMatchObject({ state: 'seen', transactions: [{ txid: bumped.txid, late: false, replaced: false }] })
    await chain.confirm('Bitcoin', 2)
    expect(await statusOf(api, id)).toBe('202 Accepted')
  })

  it('counts although what raised its fee after the request expired was first seen together with it', async () => {
    const { api } = await newUser()
    const { id, address, amount } = await pricedItem(api, 'Bitcoin')
    const txid = chain.pay('Bitcoin', address, amount)
    chain.setAhead(AFTER_EXPIRY)
    connect(chain.devnet, 'Bitcoin', 'faucet')('bumpfee', txid)
    await chain.confirm('Bitcoin', 2)
    expect(await statusOf(api, id)).toBe('202 Accepted')
  })
})
