import { env } from 'cloudflare:test'
import { beforeEach, expect, it, vi } from 'vitest'
import { differenceOf } from '../../../../worker/features/operate/difference-of.ts'
import { readReconciliations } from '../../../../worker/features/operate/reconcile.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, noise } from '../items/api.ts'
import { askWithdrawal, balanceOf, get, newCustomer } from './customer.ts'
import { askPayment, mergedItem, newUser, showItem } from './pay-for-items.ts'

const chain = useDevnet()
beforeEach(() => {
  for (const name of ['warn', 'error', 'info'] as const) vi.spyOn(console, name).mockImplementation(() => {})
})

const depositOf = async (api: Api) => String((await get(api, '/payment/Bitcoin')).address)

async function difference() {
  const found = await readReconciliations(env.DB, readConfig(env), Date.now())
  const [bitcoin] = found.filter(({ blockchain }) => blockchain === 'Bitcoin')
  return bitcoin && differenceOf(bitcoin)
}

it("pays another customer's deposit and request by withdrawals, once, and the books agree", {
  timeout: 120_000,
}, async () => {
  const [payer, payee] = [await newCustomer(chain), await newUser()]
  const deposit = await depositOf(payee.api)
  const id = await mergedItem(payee.api, 'Bitcoin', noise(40))
  const { address, amount } = await askPayment(payee.api, [id], 'Bitcoin')
  for (const order of [
    { address: deposit, amount: '0.1' },
    { address, amount: Number(amount).toFixed(8) },
  ]) {
    expect(await askWithdrawal(payer.api, order)).toMatchObject({ status: 201 })
  }
  await chain.work('Bitcoin')
  await chain.mineAndWork('Bitcoin', 8)
  expect([await balanceOf(payee.api), (await showItem(payee.api, id)).status, await difference()]).toEqual([
    ...[0.1, '200 OK', 0n],
  ])
})

it('credits each customer whom one transaction pays, once for all its outputs to an address', async () => {
  const [one, other] = [await newUser(), await newUser()]
  const [first, second] = [await depositOf(one.api), await depositOf(other.api)]
  const txid = chain.call('Bitcoin', 'sendmany', ['', { [first]: 0.2, [second]: 0.3 }])
  await chain.mineAndWork('Bitcoin', 3)
  expect([await balanceOf(one.api), await balanceOf(other.api), await difference()]).toEqual([0.2, 0.3, 0n])
  const { results } = await env.DB.prepare('SELECT amount FROM outputs WHERE txid = ?').bind(txid).all()
  expect(results).toHaveLength(2)
})
