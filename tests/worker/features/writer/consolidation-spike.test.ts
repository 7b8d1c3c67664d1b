import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { callApi, noise } from '../items/api.ts'
import { newCustomer } from '../payments/customer.ts'
import { askPayment, mergedItem, newUser, readAnswer, showItem } from '../payments/pay-for-items.ts'

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

/** Makes one coin of all; says of how many. */
async function gatherCoins(): Promise<number> {
  const operator = callApi((await signIn('admin')).headers)
  const order = { blockchain: 'Bitcoin', reason: 'fees are low' }
  const made = await readAnswer(await operator.sendJson('POST', '/operate/consolidate', order))
  if (made.status !== 202) throw new Error(JSON.stringify(made))
  await chain.work('Bitcoin')
  return Number(made.coins)
}

describe('one coin made of several', () => {
  it('frees the others where fees rise beyond what it may pay, and items and withdrawals go on', async () => {
    const { api } = await newUser()
    const other = await newCustomer(chain, { blocks: 3 })
    setFees('0.0005', '0.00001')
    const fresh = await mergedItem(api, 'Bitcoin', noise(70))
    const asked = await askPayment(api, [fresh], 'Bitcoin')
    setFees('0.00002', '0.00001')
    expect(await gatherCoins()).toBeGreaterThan(2)
    setFees('0.0005', '0.0002')
    chain.pay('Bitcoin', asked.address, asked.amount)
    await chain.mineAndWork('Bitcoin', 8)
    const paid = await other.withdraw('0.2')
    await chain.mineAndWork('Bitcoin', 12)
    expect(await showItem(api, fresh)).toMatchObject({ status: '200 OK' })
    expect(await other.withdrawals()).toMatchObject([{ id: paid.id, state: 'confirmed' }])
    const gathered = await env.DB.prepare("SELECT COUNT(*) AS n FROM transactions WHERE state = 'dead'").first('n')
    expect(gathered).toBe(1)
  })

  it('pays more where blocks pass it by, up to twice its own rate, and is sent at no rate that the node finds careless', async () => {
    const sent: unknown[][] = []
    chain.before('sendrawtransaction', (params) => void sent.push(params))
    expect(await gatherCoins()).toBeGreaterThan(2)
    expect(sent.map((params) => params.length)).toEqual([1])
    setFees('0.00003', '0.00003')
    await chain.mineAndWork('Bitcoin', 8)
    const { results } = await env.DB.prepare(
      'SELECT seq, state FROM transactions WHERE tx_chain = (SELECT MAX(id) FROM tx_chains) ORDER BY seq',
    ).all()
    expect(results).toEqual([
      { seq: 0, state: 'mined' },
      { seq: 1, state: 'mined' },
    ])
  })
})
