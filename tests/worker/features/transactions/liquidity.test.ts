import { describe, expect, it } from 'vitest'
import { BEING_WRITTEN } from '../../../../worker/features/items/sql/move-items.ts'
import { consolidateCoins } from '../../../../worker/features/transactions/sign/consolidate-coins.ts'
import { readLiquidity } from '../../../../worker/features/transactions/spendable-coins.ts'
import { contextOf } from '../../agent-contexts.ts'
import { useDevnet } from '../../use-devnet.ts'
import { noise } from '../items/api.ts'
import { askWithdrawal, listWithdrawals, payDeposit } from '../payments/customer.ts'
import { askPayment, mergedItem, newUser, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

/** Asks the service's wallet, as its operator does. */
const wallet = (method: string, ...params: unknown[]) => chain.callWallet('Bitcoin', method, params)

/** An address of nobody here, which blocks of these tests pay. */
const ELSEWHERE = 'bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202'

async function mineAndWork(blocks = 1): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    wallet('generatetoaddress', 1, ELSEWHERE)
    await chain.work('Bitcoin')
  }
}

/** Leaves the wallet one coin of so many base units. */
async function leave(units: number): Promise<void> {
  chain.pay('Bitcoin', wallet('getrawchangeaddress'), 1)
  await mineAndWork(3)
  const coins: { amount: number }[] = Object(wallet('listunspent'))
  const all = coins.reduce((sum, { amount }) => sum + Math.round(amount * 1e8), 0)
  const address = String(wallet('getrawchangeaddress'))
  const fee = 100_000
  const outputs = [{ [ELSEWHERE]: ((all - units - fee) / 1e8).toFixed(8) }, { [address]: (units / 1e8).toFixed(8) }]
  const raw = wallet('createrawtransaction', coins, outputs)
  wallet('sendrawtransaction', Object(wallet('signrawtransactionwithwallet', raw)).hex, 0)
  await mineAndWork(2)
}

describe('coins of the wallet', () => {
  it('become one where there are many and fees are low, but for those that customers paid lately', async () => {
    const addresses = Array.from({ length: 500 }, () => String(wallet('getnewaddress')))
    chain.call('Bitcoin', 'sendmany', ['', Object.fromEntries(addresses.map((address) => [address, '0.001']))])
    wallet('generatetoaddress', 1, ELSEWHERE)
    const before = Object(wallet('listunspent')).length
    chain.call('Bitcoin', 'devsetfeerate', ['0.00002'])
    await chain.work('Bitcoin')
    await mineAndWork(3)
    chain.call('Bitcoin', 'devsetfeerate', [])
    expect(Object(wallet('listunspent')).length).toBe(before - 99)
    await mineAndWork(3)
    expect(Object(wallet('listunspent')).length).toBe(before - 99)
  })

  it('become one when an operator says so, however few there are', async () => {
    const before = Object(wallet('listunspent')).length
    const made = await consolidateCoins(contextOf(), { atOnce: true })
    expect(made).toMatchObject({ coins: 100 })
    await mineAndWork(3)
    expect(Object(wallet('listunspent')).length).toBe(before - 99)
  })

  it('are promised once: a request that open ones leave nothing for is refused before anybody pays', async () => {
    await leave(150_000)
    expect(await readLiquidity(contextOf())).toMatchObject({ free: 150_000n, immature: 0n })
    const { api } = await newUser()
    const [first, second] = [
      await mergedItem(api, 'Bitcoin', noise(1_000)),
      await mergedItem(api, 'Bitcoin', noise(990)),
    ]
    const ask = (id: string) => askPayment(api, [id], 'Bitcoin')
    const opened = await ask(first)
    expect(opened).toMatchObject({ status: 402 })
    const fee = Math.round(Number(opened.networkFee ?? 0) * 1e8)
    await leave(fee + Math.floor(fee / 2))
    expect(await ask(second)).toMatchObject({ status: 503, code: 'payment_unavailable' })
    expect((await api.sendJson('DELETE', '/payment', { address: opened.address })).status).toBe(200)
    expect(await ask(second)).toMatchObject({ status: 402 })
  })

  it('are promised once to withdrawals too: what one that waits leaves nothing for is refused', async () => {
    const { api } = await newUser()
    await payDeposit(chain, api, '0.02')
    await mineAndWork(3)
    await leave(1_200_000)
    const withdraw = (amount: string) => askWithdrawal(api, { address: ELSEWHERE, amount })
    expect(await withdraw('0.006')).toMatchObject({ status: 201 })
    expect(await withdraw('0.006')).toMatchObject({ status: 503, code: 'payment_unavailable' })
    expect(await withdraw('0.004')).toMatchObject({ status: 201 })
    await mineAndWork(3)
    // What is left of the coin that paid them is free again.
    expect(await withdraw('0.0015')).toMatchObject({ status: 201 })
    expect(await withdraw('0.0015')).toMatchObject({ status: 503 })
    await mineAndWork(3)
  })

  it('that are too small for a withdrawal are gathered first: it waits, says so, and pays no more than its fee', async () => {
    const { api } = await newUser()
    await payDeposit(chain, api, '0.02')
    await mineAndWork(3)
    await leave(60_000)
    const addresses = Array.from({ length: 20 }, () => String(wallet('getnewaddress')))
    chain.call('Bitcoin', 'sendmany', ['', Object.fromEntries(addresses.map((one) => [one, '0.001']))])
    await mineAndWork(3)
    const { id, fee } = await askWithdrawal(api, { address: ELSEWHERE, amount: '0.01' })
    const state = async () => (await listWithdrawals(api)).find((one) => one.id === id)
    await chain.work('Bitcoin')
    expect(await state()).toMatchObject({ state: 'waiting', message: expect.stringContaining('too small') })
    await mineAndWork(2)
    const { state: sent, txid } = (await state()) ?? {}
    expect(sent).toBe('sent')
    const { details, ...paid } = Object(wallet('gettransaction', txid))
    expect(-Math.round(paid.fee * 1e8)).toBeLessThanOrEqual(Math.round(Number(fee) * 1e8))
    await mineAndWork(3)
  })

  it('at the end of a tx chain on which nothing waits pay a withdrawal, too; without any it waits, and says so', async () => {
    const { api } = await newUser()
    await payDeposit(chain, api, '0.02')
    await mineAndWork(3)
    await leave(2_000_000)
    const item = await mergedItem(api, 'Bitcoin', noise(60))
    const asked = await askPayment(api, [item], 'Bitcoin')
    const withdraw = (amount: string) => askWithdrawal(api, { address: ELSEWHERE, amount })
    // Both are of one moment: which is listed first is not said.
    const withdrawalOf = async (amount: number) => (await listWithdrawals(api)).find((one) => one.amount === amount)
    await chain.work('Bitcoin')
    await mineAndWork(1)
    expect([asked.status, (await showItem(api, item)).status]).toEqual([200, '202 Accepted'])
    expect(await withdraw('0.006')).toMatchObject({ status: 201 })
    await chain.work('Bitcoin')
    expect(await withdrawalOf(0.006)).toMatchObject({ state: 'sent' })
    await mineAndWork(3)

    expect(await withdraw('0.004')).toMatchObject({ status: 201 })
    wallet('sendall', [ELSEWHERE])
    await mineAndWork(1)
    expect(await withdrawalOf(0.004)).toMatchObject({
      state: 'waiting',
      message: expect.stringContaining('no confirmed coins'),
    })
    chain.pay('Bitcoin', wallet('getrawchangeaddress'), 1)
    await mineAndWork(2)
    expect(await withdrawalOf(0.004)).toMatchObject({ state: 'sent' })
    await mineAndWork(3)
  })

  it('that customers paid lately are not for fees: the item says when they will be', async () => {
    await leave(150_000)
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin', noise(400))
    const { address, amount } = await askPayment(api, [id], 'Bitcoin')
    wallet('sendall', [ELSEWHERE])
    chain.pay('Bitcoin', address, amount)
    await mineAndWork(4)
    expect(await showItem(api, id)).toMatchObject({
      status: '202 Accepted',
      message: expect.stringMatching(
        /no coins free .* in 96 blocks, about 960 minutes\. Writing continues automatically/,
      ),
    })
    wallet('generatetoaddress', 100, ELSEWHERE)
    await chain.work('Bitcoin')
    expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted', message: BEING_WRITTEN })
    await mineAndWork(6)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
  })
})
