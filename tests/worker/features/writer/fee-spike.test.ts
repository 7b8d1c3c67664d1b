import { beforeEach, describe, expect, it, vi } from 'vitest'
import { add, clear, count, runSql } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi, noise } from '../items/api.ts'
import { newUser, paidItem, pricedItem, readAnswer, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

beforeEach(() => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  setFees('0.00002', '0.00001')
})

/** What the node estimates, and the least that miners take, in coins per 1,000 vbytes. */
function setFees(estimate: string, mined: string): void {
  chain.call('Bitcoin', 'devsetfeerate', [estimate])
  chain.call('Bitcoin', 'devsetoption', ['blockmintxfee', mined])
}

/** An item whose payment is on its way. */
async function payItem(api: Api): Promise<string> {
  const { id, address, amount } = await pricedItem(api, 'Bitcoin', noise(70))
  chain.pay('Bitcoin', address, amount)
  return id
}

async function statusesOf(api: Api, ids: readonly string[]): Promise<unknown[]> {
  return await Promise.all(ids.map(async (id) => (await showItem(api, id)).status))
}

/** The tx chain of each live transaction of the items. */
async function txChainsOf(...ids: readonly string[]): Promise<number[]> {
  const results = await runSql<{ tx_chain: number }>(
    `SELECT DISTINCT tx_chain FROM transactions WHERE state != 'dead' AND item_id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  )
  return results.map(({ tx_chain }) => tx_chain)
}

describe('while blocks take nothing below ten times the earlier fees', () => {
  it('nothing is signed to pay more while an operator has stopped writing, and it is when that goes on', async () => {
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Bitcoin', noise(70))
    const bumps = () => count('transactions WHERE item_id IS NULL AND seq > 0')
    setFees('0.00003', '0.000025')
    await add('stops', { blockchain: 'Bitcoin', part: 'writing', cause: 'hand', reason: 'x', since: 1 })
    await chain.mineAndWork('Bitcoin', 8)
    expect(await bumps()).toBe(0)
    await clear('stops')
    await chain.mineAndWork('Bitcoin')
    expect(await bumps()).toBe(1)
    await chain.mineAndWork('Bitcoin', 3)
    expect(await statusesOf(api, [id])).toEqual(['200 OK'])
  })

  it('items that pay what is asked now are stored, though a tx chain is full of others that can pay no more', async () => {
    const { api } = await newUser()
    const old = await paidItem(chain, api, 'Bitcoin', noise(80 * 63 - 20))
    setFees('0.0005', '0.0002')
    await chain.mineAndWork('Bitcoin', 8)
    const fresh = [await payItem(api), await payItem(api), await payItem(api)]
    await chain.mineAndWork('Bitcoin', 12)
    expect(await statusesOf(api, fresh)).toEqual(['200 OK', '200 OK', '200 OK'])
    expect(await statusesOf(api, [old])).toEqual(['202 Accepted'])
    setFees('0.00002', '0.00001')
    await chain.mineAndWork('Bitcoin', 6)
    expect(await statusesOf(api, [old])).toEqual(['200 OK'])
  })

  it('an item that pays what is asked now has a tx chain of its own, not one whose transactions are at their ceiling', async () => {
    const { api } = await newUser()
    const old = await paidItem(chain, api, 'Bitcoin', noise(1100))
    setFees('0.0005', '0.0002')
    await chain.mineAndWork('Bitcoin', 8)
    const fresh = await payItem(api)
    await chain.mineAndWork('Bitcoin', 6)
    expect(await statusesOf(api, [fresh, old])).toEqual(['200 OK', '202 Accepted'])
    const stuck = await txChainsOf(old)
    expect((await txChainsOf(fresh)).filter((txChain) => stuck.includes(txChain))).toEqual([])
  })

  it('say in health and to their payers that they wait where four times as many tx chains are open as are filled', async () => {
    const { api } = await newUser()
    const operator = callApi((await signIn('admin')).headers)
    const incidents = async () => {
      const { chains } = await readAnswer(await operator.send('GET', '/operate/health'))
      return JSON.parse(JSON.stringify(chains)).Bitcoin.incidents
    }
    const work = () => chain.work('Bitcoin', {}, { maxTxChains: 1 })
    const ids: string[] = []
    // Each pays twice what is asked when it is asked for, and miners take four tenths of the next.
    for (const rate of [0.00002, 0.0002, 0.002, 0.02, 0.2]) {
      setFees(rate.toFixed(8), (0.4 * rate).toFixed(8))
      ids.push(await payItem(api))
      await work()
      chain.mine('Bitcoin', 2)
      await work()
    }
    expect(await incidents()).toMatchObject([{ code: 'tx_chains_full' }])
    expect((await showItem(api, String(ids.at(-1)))).message).toContain('too many transactions of the service wait')
    setFees('0.00002', '0.00001')
    for (let block = 0; block < 12; block++) {
      chain.mine('Bitcoin')
      await work()
    }
    expect(await incidents()).toEqual([])
    expect(await statusesOf(api, ids)).toEqual(ids.map(() => '200 OK'))
  })
})
