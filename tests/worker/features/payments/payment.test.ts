import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { SERVICE } from '../../../../devnet/premine.ts'
import type { Blockchain, StorageTarget } from '../../../../protocol/chains.ts'
import { hasWork } from '../../../../worker/agent/has-work.ts'
import { agentContext } from '../../../../worker/chain/follower/agent-context.ts'
import { selectBalances } from '../../../../worker/features/payments/sql/ledger.ts'
import { connect } from '../../../kit/call-devnet.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi, noise, uploadItem } from '../items/api.ts'
import { askPayment, mergedItem, newUser, readAnswer, showItem } from './pay-for-items.ts'

const chain = useDevnet()
beforeEach(() => chain.setAhead(0))

const HOUR = 3_600_000

const ask = async (api: Api, ids: string[], blockchain: StorageTarget = 'Bitcoin') =>
  await askPayment(api, ids, blockchain)

const cancel = async (api: Api, address: unknown) =>
  await readAnswer(await api.sendJson('DELETE', '/payment', { address }))

const depositAddress = async (api: Api, blockchain: StorageTarget = 'Bitcoin') =>
  await readAnswer(await api.send('GET', `/payment/${blockchain}`))

const statusOf = async (api: Api, id: string) => (await showItem(api, id)).status

async function confirm(blockchain: Blockchain = 'Bitcoin', blocks = 2): Promise<void> {
  await chain.confirm(blockchain, blocks)
}

describe('asking for payment', () => {
  it('gives an address, an amount and a BIP 21 link, and the same when asked again', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const first = await ask(api, [id])
    expect(first).toMatchObject({ status: 402, confirmations: 2, received: 0 })
    expect(first.uri).toBe(`bitcoin:${first.address}?amount=${first.amount}`)
    expect(first.message).toContain('Bitcoin is waiting for a transfer')
    expect(await ask(api, [id])).toEqual(first)
    expect(await ask(api, [id, id])).toEqual(first)
  })

  it('refuses what is not to be paid for, each with its status', async () => {
    const { api } = await newUser()
    const other = await newUser()
    const [mine, theirs] = [await mergedItem(api, 'Bitcoin'), await mergedItem(other.api, 'Bitcoin')]
    const uploading = await uploadItem(api, Uint8Array.of(1), { blockchain: 'Bitcoin' })
    expect(await ask(api, [])).toMatchObject({ status: 400, code: 'invalid_field' })
    expect(await ask(api, ['nonsense'])).toMatchObject({ status: 400 })
    expect(await ask(api, [theirs])).toMatchObject({ status: 404 })
    expect(await ask(api, [mine], 'Dogecoin')).toMatchObject({ status: 400 })
    expect(await ask(api, [uploading])).toMatchObject({ status: 409 })
    const unknown = await readAnswer(await api.sendJson('POST', '/payment', { blockchain: 'bitcoin', ids: [mine] }))
    expect(unknown).toMatchObject({ status: 400 })
  })

  it('is refused for what is on the denylist: it would not be served', async () => {
    const { api } = await newUser()
    const moderator = callApi((await signIn('admin')).headers)
    const id = await mergedItem(api, 'Bitcoin')
    await moderator.sendJson('PUT', '/denied', { kind: 'item', value: id, reason: 'order 12/2026' })
    expect(await ask(api, [id])).toMatchObject({ status: 451, code: 'denied' })
    await moderator.sendJson('DELETE', '/denied', { kind: 'item', value: id })
    expect(await ask(api, [id])).toMatchObject({ status: 402 })
  })

  it('P15: does not let an item wait in two requests', async () => {
    const { api } = await newUser()
    const [a, b] = [await mergedItem(api, 'Bitcoin'), await mergedItem(api, 'Bitcoin')]
    expect((await ask(api, [a])).status).toBe(402)
    expect(await ask(api, [a, b])).toMatchObject({ status: 409, code: 'items_in_other_request' })
  })

  it('makes no deposit address for HEAD, which nobody would be told', async () => {
    const { userId, api } = await newUser()
    const response = await api.send('HEAD', '/payment/Bitcoin')
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET'])
    const { results } = await env.DB.prepare('SELECT 1 FROM addresses WHERE user_id = ?').bind(userId).all()
    expect(results).toEqual([])
  })

  it('answers 503 when the node is away, and says nothing of why', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    chain.breakNodes(true)
    const answer = await ask(api, [id])
    const address = await depositAddress(api)
    chain.breakNodes(false)
    expect(answer).toMatchObject({ status: 503, message: 'Payment with Bitcoin is unavailable at the moment.' })
    expect(address).toMatchObject({ status: 503 })
  })

  it('answers 503 too for a request that is open: what was paid is not known', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const first = await ask(api, [id])
    chain.breakNodes(true)
    const answer = await ask(api, [id])
    chain.breakNodes(false)
    expect(answer).toMatchObject({ status: 503, code: 'payment_unavailable' })
    expect(await ask(api, [id])).toEqual(first)
  })
})

describe('a payment', () => {
  it('P12: settles with the confirmations of its chain, not before', async () => {
    const { api, userId } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address, amount } = await ask(api, [id])
    chain.pay('Bitcoin', address, amount)
    await chain.work('Bitcoin')
    expect(await ask(api, [id])).toMatchObject({ status: 402, received: amount })
    expect(await statusOf(api, id)).toBe('402 Payment Required')
    await confirm('Bitcoin', 1)
    expect(await statusOf(api, id)).toBe('402 Payment Required')
    await confirm('Bitcoin', 1)
    expect(await statusOf(api, id)).not.toBe('402 Payment Required')
    expect(await ask(api, [id])).toMatchObject({ status: 200 })
    expect((await selectBalances(env.DB, userId)).Bitcoin).toBe(0n)
  })

  it('P14: of too little stays open, shows what came, and settles with the rest', async () => {
    const { api, userId } = await newUser()
    const id = await mergedItem(api, 'Bitcoin', noise(4000))
    const { address, amount } = await ask(api, [id])
    const half = Math.floor((Number(amount) * 1e8) / 2) / 1e8
    chain.pay('Bitcoin', address, half)
    await confirm('Bitcoin', 2)
    expect(await ask(api, [id])).toMatchObject({ status: 402, address, amount, received: half })
    chain.pay('Bitcoin', address, amount)
    await confirm('Bitcoin', 2)
    expect(await ask(api, [id])).toMatchObject({ status: 200 })
    expect((await selectBalances(env.DB, userId)).Bitcoin).toBe(BigInt(Math.round(half * 1e8)))
  })

  it('of too much leaves the rest as balance, which pays the next item', async () => {
    const { api, userId } = await newUser()
    const first = await mergedItem(api, 'Bitcoin')
    const { address } = await ask(api, [first])
    chain.pay('Bitcoin', address, '1')
    await confirm()
    const balance = (await selectBalances(env.DB, userId)).Bitcoin
    expect(balance).toBeGreaterThan(99_000_000n)
    const second = await mergedItem(api, 'Bitcoin')
    expect(await ask(api, [second])).toMatchObject({ status: 200, message: /^Paid from your balance/ })
    expect(await statusOf(api, second)).not.toBe('402 Payment Required')
    expect((await selectBalances(env.DB, userId)).Bitcoin).toBeLessThan(balance)
  })

  it('of too much pays the next item only up to what the caller allows the balance', async () => {
    const { api, userId } = await newUser()
    const first = await mergedItem(api, 'Bitcoin')
    const { address } = await ask(api, [first])
    chain.pay('Bitcoin', address, '1')
    await confirm()
    const balance = (await selectBalances(env.DB, userId)).Bitcoin
    const second = await mergedItem(api, 'Bitcoin')
    const allow = async (maxFromBalance: unknown) =>
      readAnswer(await api.sendJson('POST', '/payment', { blockchain: 'Bitcoin', ids: [second], maxFromBalance }))
    const untouched = await allow('0')
    expect(untouched).toMatchObject({ status: 402, address: expect.any(String) })
    const price = Number(untouched.amount)
    expect(await allow((price / 2).toFixed(8))).toMatchObject({ status: 402, address: untouched.address })
    expect(await allow('-1')).toMatchObject({ status: 400, code: 'invalid_field' })
    expect(await allow(1)).toMatchObject({ status: 400 })
    expect((await selectBalances(env.DB, userId)).Bitcoin).toBe(balance)
    expect(await allow(price.toFixed(8))).toMatchObject({ status: 200 })
    expect((await selectBalances(env.DB, userId)).Bitcoin).toBe(balance - BigInt(Math.round(price * 1e8)))
  })

  it('P13: that is replaced by another takes the request back to open', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address, amount } = await ask(api, [id])
    const txid = chain.pay('Bitcoin', address, amount)
    await chain.work('Bitcoin')
    expect((await ask(api, [id])).received).toBe(amount)
    chain.evict('Bitcoin', txid)
    await chain.work('Bitcoin')
    expect((await ask(api, [id])).received).toBe(0)
  })

  it('P13: that a block had replaced is seen again once a reorganisation has brought it back to the mempool', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address, amount } = await ask(api, [id])
    const txid = chain.pay('Bitcoin', address, amount)
    const payment = chain.call('Bitcoin', 'getrawtransaction', [txid])
    await chain.work('Bitcoin')
    const { vin } = Object(chain.call('Bitcoin', 'getrawtransaction', [txid, true]))
    const [{ txid: source, vout }] = vin
    const previous = Object(chain.call('Bitcoin', 'getrawtransaction', [source, true]))
    const value = (Number(previous.vout[vout].value) - 0.001).toFixed(8)
    const faucet = connect(chain.devnet, 'Bitcoin', 'faucet')
    chain.evict('Bitcoin', txid)
    const raw = faucet('createrawtransaction', [{ txid: source, vout }], { [String(faucet('getnewaddress'))]: value })
    const other = String(faucet('sendrawtransaction', Object(faucet('signrawtransactionwithwallet', raw)).hex, 0))
    await chain.confirm('Bitcoin')
    chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getbestblockhash')])
    chain.evict('Bitcoin', other)
    chain.call('Bitcoin', 'sendrawtransaction', [payment])
    await chain.passBy('Bitcoin', 1)
    expect((await ask(api, [id])).received).toBe(amount)
  })

  it('P14: that comes after the request expired is credited, and the item stays unpaid', async () => {
    const { api, userId } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address, amount } = await ask(api, [id])
    chain.setAhead(HOUR + 1000)
    await chain.work('Bitcoin')
    chain.pay('Bitcoin', address, amount)
    await confirm()
    expect(await statusOf(api, id)).toBe('402 Payment Required')
    expect((await selectBalances(env.DB, userId)).Bitcoin).toBe(BigInt(Math.round(Number(amount) * 1e8)))
  })

  it('made in time counts although the agent only looked after the request had expired', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address, amount } = await ask(api, [id])
    chain.pay('Bitcoin', address, amount)
    chain.setAhead(HOUR + 1000)
    await confirm()
    expect(await statusOf(api, id)).not.toBe('402 Payment Required')
  })

  it('P13: taken back by a reorganisation before it settled leaves the request open', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address, amount } = await ask(api, [id])
    const txid = chain.pay('Bitcoin', address, amount)
    await confirm('Bitcoin', 1)
    chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getbestblockhash')])
    chain.evict('Bitcoin', txid)
    await confirm('Bitcoin', 2)
    expect(await ask(api, [id])).toMatchObject({ status: 402, received: 0 })
  })
})

describe('cancelling', () => {
  it('removes the request and its items while nothing has arrived', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address } = await ask(api, [id])
    expect(await cancel(api, address)).toMatchObject({ status: 200 })
    expect((await api.send('GET', `/item/${id}`)).status).toBe(404)
    expect(await cancel(api, address)).toMatchObject({ status: 404 })
  })

  it('twice at once is done once; to the other the request is gone', async () => {
    const { api } = await newUser()
    const { address } = await ask(api, [await mergedItem(api, 'Bitcoin')])
    const answers = await Promise.all([cancel(api, address), cancel(api, address)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
  })

  it('is refused once money was seen, even before the agent has looked', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address } = await ask(api, [id])
    chain.pay('Bitcoin', address, '0.00001')
    expect(await cancel(api, address)).toMatchObject({ status: 409, code: 'payment_seen' })
    await chain.work('Bitcoin')
    expect(await cancel(api, address)).toMatchObject({ status: 409 })
  })

  it('is not for others, nor for addresses nobody knows; an expired request can be cancelled', async () => {
    const { api } = await newUser()
    const other = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address } = await ask(api, [id])
    expect(await cancel(other.api, address)).toMatchObject({ status: 404 })
    expect(await cancel(api, 'nowhere')).toMatchObject({ status: 404 })
    chain.setAhead(HOUR + 1000)
    await chain.work('Bitcoin')
    expect(await cancel(api, address)).toMatchObject({ status: 200 })
  })

  it('leaves the items that a later request waits for', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address: expired } = await ask(api, [id])
    chain.setAhead(HOUR + 1000)
    await chain.work('Bitcoin')
    const { address } = await ask(api, [id])
    expect(address).not.toBe(expired)
    expect(await cancel(api, expired)).toMatchObject({ status: 200, message: expect.stringContaining('stays') })
    expect(await ask(api, [id])).toMatchObject({ status: 402, address })
  })

  it('waits for the node: while it is away nobody knows whether money came, and nothing is removed', async () => {
    const { api } = await newUser()
    const { address } = await ask(api, [await mergedItem(api, 'Bitcoin')])
    chain.breakNodes(true)
    const refused = await cancel(api, address)
    chain.breakNodes(false)
    expect(refused).toMatchObject({ status: 503, code: 'payment_unavailable' })
    expect(await cancel(api, address)).toMatchObject({ status: 200 })
  })

  it('credits what still arrives at the address', async () => {
    const { api, userId } = await newUser()
    const { address, amount } = await ask(api, [await mergedItem(api, 'Bitcoin')])
    await cancel(api, address)
    chain.pay('Bitcoin', address, amount)
    await confirm()
    expect((await selectBalances(env.DB, userId)).Bitcoin).toBe(BigInt(Math.round(Number(amount) * 1e8)))
  })
})

describe('the agent', () => {
  it('goes on looking for an hour at an address whose request was cancelled', async () => {
    const { api } = await newUser()
    const { address } = await ask(api, [await mergedItem(api, 'Dogecoin')], 'Dogecoin')
    await cancel(api, address)
    const context = agentContext(env, 'Dogecoin')
    if (!context) throw new Error('no node of Dogecoin')
    expect(await hasWork({ ...context, now: Date.now() })).toBe(true)
    expect(await hasWork({ ...context, now: Date.now() + HOUR + 1000 })).toBe(false)
  })
})

describe('deposit addresses', () => {
  it('are new each time, and the discarded ones are credited all the same, once', async () => {
    const { api, userId } = await newUser()
    const first = await depositAddress(api)
    const second = await depositAddress(api)
    expect(first.address).not.toBe(second.address)
    chain.pay('Bitcoin', first.address, '0.1')
    chain.pay('Bitcoin', second.address, '0.2')
    await confirm()
    await confirm()
    expect((await selectBalances(env.DB, userId)).Bitcoin).toBe(30_000_000n)
  })

  it('are not given while the wallet is locked: nothing could be written for what came', async () => {
    const { api } = await newUser()
    const wallet = chain.devnet.node('Bitcoin').wallets.get(SERVICE)
    if (!wallet) throw new Error('no wallet')
    wallet.passphrase = 'secret'
    wallet.unlockedUntil = 0
    const answer = await depositAddress(api)
    wallet.passphrase = undefined
    expect(answer).toMatchObject({ status: 503, code: 'payment_unavailable' })
    expect(await depositAddress(api)).toMatchObject({ status: 200 })
  })

  it('are credited with what a miner earns at them once the network lets it be spent, a hundred blocks deep', async () => {
    const { api, userId } = await newUser()
    const { address } = await depositAddress(api)
    const balance = async () => (await selectBalances(env.DB, userId)).Bitcoin
    chain.call('Bitcoin', 'generatetoaddress', [1, address])
    await confirm('Bitcoin', 98)
    expect(await balance()).toBe(0n)
    await confirm('Bitcoin', 1)
    expect(await balance()).toBeGreaterThan(0n)
  })

  it('are retired when money came, and the next is made', async () => {
    const { api, userId } = await newUser()
    const { address } = await depositAddress(api)
    chain.pay('Bitcoin', address, '0.1')
    await confirm()
    const { results } = await env.DB.prepare('SELECT address, state FROM addresses WHERE user_id = ?')
      .bind(userId)
      .all<{ address: string; state: string }>()
    expect(results.map(({ state }) => state).sort()).toEqual(['current', 'retired'])
    expect(results.find(({ state }) => state === 'retired')?.address).toBe(address)
  })

  it('for IPFS are of the chain that IPFS is paid in; ten a minute are given', async () => {
    const { api } = await newUser()
    expect((await depositAddress(api, 'IPFS')).address).toMatch(/^ntcrt1/)
    const second = await api.send('GET', '/payment/Bitcoin')
    expect(second.headers.get('RateLimit-Policy')).toContain('"addresses";q=10;w=60')
    expect(second.headers.get('RateLimit')).toBe('"addresses";r=8;t=60')
    for (let i = 0; i < 8; i++) expect((await depositAddress(api)).status).toBe(200)
    const refused = await api.send('GET', '/payment/Bitcoin')
    expect(refused.headers.get('RateLimit')).toBe('"addresses";r=0;t=60')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toBe('60')
    expect((await api.send('GET', '/payment/Litecoin')).status).toBe(400)
  })

  it('are ten a minute beside those that were made because money came', async () => {
    const { api } = await newUser()
    const { address } = await depositAddress(api)
    chain.pay('Bitcoin', address, '0.1')
    await confirm()
    const statuses: unknown[] = []
    for (let i = 0; i < 10; i++) statuses.push((await depositAddress(api)).status)
    expect(statuses).toEqual([...Array(9).fill(200), 429])
  })

  it('P16: are ten a minute too when they are asked for all at once', async () => {
    const { api } = await newUser()
    const answers = await Promise.all(Array.from({ length: 13 }, () => api.send('GET', '/payment/Bitcoin')))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), ...Array(3).fill(429)])
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.map(({ headers }) => headers.get('Retry-After'))).toEqual(['60', '60', '60'])
  })
})
