import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { paymentParts } from '../../../../worker/features/payments/payment-parts.ts'
import { add, runSql } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import type { Api } from '../items/api.ts'
import { get } from './customer.ts'
import { askPayment, mergedItem, newUser, paidItem, pricedItem } from './pay-for-items.ts'

const chain = useDevnet()

const csv = async (api: Api, path: string) => await api.send('GET', path, undefined, { Accept: 'text/csv' })

async function deposit(api: Api, coins: string, confirmed = true): Promise<string> {
  const { address } = await get(api, '/payment/Bitcoin')
  const txid = chain.pay('Bitcoin', address, coins)
  if (confirmed) chain.mine('Bitcoin', 2)
  await chain.work('Bitcoin')
  return txid
}

describe('what a price is made of', () => {
  it('stands in the 402, in the request and in the receipt, and adds up to the amount', async () => {
    const { api } = await newUser()
    const { id, ...asked } = await pricedItem(api, 'Bitcoin')
    const { amount, networkFee, storageFee, dustFee = 0 } = asked
    const units = [networkFee, storageFee, dustFee].reduce(
      (sum: number, part) => sum + Math.round(Number(part) * 1e8),
      0,
    )
    expect(units).toBe(Math.round(Number(amount) * 1e8))
    expect(await get(api, `/payment?address=${asked.address}`)).toMatchObject({ amount, networkFee, storageFee })
    const txid = chain.pay('Bitcoin', asked.address, amount)
    await chain.confirm('Bitcoin', 2)
    expect(await get(api, `/item/${id}/receipt`)).toMatchObject({
      status: 200,
      ...{ item: id, name: 'a.txt', blockchain: 'Bitcoin', paidIn: 'Bitcoin', amount, networkFee, storageFee },
      fromBalance: 0,
      payments: [{ txid, amount }],
      items: 1,
    })
  })

  it('names what the least output of the network adds, where it adds anything', () => {
    const parts = { networkFee: 0n, storageFee: 100n }
    expect(paymentParts({ amount: 546n, parts })).toEqual({ ...parts, dustFee: 446n })
    expect(paymentParts({ amount: 100n, parts })).toEqual(parts)
  })
})

describe('GET /v0/item/<id>/receipt', () => {
  it('names seller, buyer and all that was paid together, and what a coin was worth then', async () => {
    const { api } = await newUser()
    const buyer = 'Ada Lovelace\nPier 4'
    expect(await (await api.sendJson('PUT', '/user', { buyer })).json()).toMatchObject({ buyer, orderMails: false })
    await runSql('UPDATE prices SET as_of = ?, rates = ?', Date.now(), '{"Bitcoin":{"EUR":80000},"Dogecoin":{"EUR":1}}')
    await deposit(api, '0.5')
    const ids = [await mergedItem(api, 'Bitcoin'), await mergedItem(api, 'Bitcoin')]
    expect(await askPayment(api, ids, 'Bitcoin')).toMatchObject({ status: 200 })
    await runSql('UPDATE prices SET as_of = NULL, rates = NULL')
    const first = await get(api, `/item/${ids[0]}/receipt`)
    const second = await get(api, `/item/${ids[1]}/receipt`)
    expect(first).toMatchObject({ seller: ['Example Ltd', '1 High Street'], buyer, rates: { EUR: 80_000 }, items: 2 })
    expect(first.number).toMatch(/^\d{8}-[0-9A-F]{8}$/)
    expect(second.number).toBe(first.number)
    expect(JSON.stringify(first.lines)).toContain(ids[1])
    expect(first.lines).toHaveLength(2)
  })

  it('says what the balance paid', async () => {
    const { api } = await newUser()
    await deposit(api, '0.5')
    const id = await mergedItem(api, 'Bitcoin')
    expect(await askPayment(api, [id], 'Bitcoin')).toMatchObject({ status: 200 })
    const receipt = await get(api, `/item/${id}/receipt`)
    expect(receipt).toMatchObject({ status: 200, payments: [] })
    expect(receipt.fromBalance).toBe(receipt.amount)
  })

  it("404: not paid, somebody else's, none", async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    expect(await get(api, `/item/${id}/receipt`)).toMatchObject({ status: 404 })
    const paid = await paidItem(chain, (await newUser()).api, 'Bitcoin')
    expect(await get(api, `/item/${paid}/receipt`)).toMatchObject({ status: 404 })
    expect(await get(api, '/item/x/receipt')).toMatchObject({ status: 404 })
  })
})

describe('GET /v0/payment', () => {
  it('lists requests and deposits, newest first, and no address that nothing came to', async () => {
    const { api } = await newUser()
    const { id, ...asked } = await pricedItem(api, 'Bitcoin')
    const txid = await deposit(api, '0.5')
    // The clock stands still: what is of one moment is told apart by its kind.
    await runSql(`UPDATE addresses SET created_at = created_at + 1 WHERE kind = 'deposit'`)
    const { payments } = await get(api, '/payment')
    expect(payments).toMatchObject([
      { kind: 'deposit', state: 'credited', credited: 0.5, transactions: [{ txid, amount: 0.5 }] },
      { kind: 'request', state: 'open', address: asked.address, amount: asked.amount, names: ['a.txt'], ids: [id] },
    ])
    expect(payments).toHaveLength(2)
    expect((await get((await newUser()).api, '/payment')).payments).toEqual([])
  })

  it('goes page by page through what was made at the same moment too, each once', async () => {
    const { api, userId } = await newUser()
    const at = 1_700_000_000_000
    const requests = Array.from({ length: 70 }, (_, index) => ({ id: crypto.randomUUID(), address: `r${index}` }))
    const own = { user_id: userId, created_at: at }
    await add('addresses', ...requests.map(({ id, address }) => ({ ...own, address, script: id, kind: 'request' })))
    const expired = { ...own, item_set: 'a'.repeat(24), amount: '600', state: 'expired', expires_at: 0 }
    await add('payment_requests', ...requests.map((request) => ({ ...expired, ...request })))
    const seen: unknown[] = []
    let cursor: unknown = ''
    for (let pages = 0; cursor !== undefined && pages < 3; pages++) {
      const page: Record<string, unknown> = await get(api, cursor === '' ? '/payment' : `/payment?cursor=${cursor}`)
      if (!Array.isArray(page.payments)) throw new Error(JSON.stringify(page))
      seen.push(...page.payments.map(({ address }) => address))
      cursor = page.cursor
    }
    expect([cursor, seen.length, new Set(seen).size]).toEqual([undefined, 70, 70])
    // Addresses that no node knows must not be there when the agent asks the wallet about its own.
    await env.DB.batch([
      env.DB.prepare('DELETE FROM payment_requests WHERE user_id = ?').bind(userId),
      env.DB.prepare('DELETE FROM addresses WHERE user_id = ?').bind(userId),
    ])
  })

  it('refuses a cursor that no page gave', async () => {
    const { api } = await newUser()
    for (const cursor of ['', 'x', '1-', "1-'"]) {
      expect(await get(api, `/payment?cursor=${encodeURIComponent(cursor)}`)).toMatchObject({ status: 400 })
    }
    expect(await get(api, '/ledger?cursor=x')).toMatchObject({ status: 400 })
  })

  it('is a table where one is asked for', async () => {
    const { api } = await newUser()
    const asked = await askPayment(api, [await mergedItem(api, 'Bitcoin')], 'Bitcoin')
    const txid = await deposit(api, '0.5')
    await runSql(`UPDATE addresses SET created_at = created_at + 1 WHERE kind = 'deposit'`)
    const response = await csv(api, '/payment')
    expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present')
    expect(response.headers.get('Content-Disposition')).toBe('attachment; filename="payments.csv"')
    const [head, first, second, end] = (await response.text()).split('\r\n')
    expect(head).toMatch(/^created,kind,state,target,paid in,address,amount,/)
    expect(first).toMatch(
      new RegExp(`^\\d{4}-[^,]*,deposit,credited,Bitcoin,Bitcoin,.*,0\\.50000000,0\\.50000000,,,,${txid}$`),
    )
    expect(second).toContain(`,request,open,Bitcoin,Bitcoin,${asked.address},${Number(asked.amount).toFixed(8)},`)
    expect(end).toBe('')
  })
})

describe('GET /v0/ledger', () => {
  it('names what moved: a deposit, a payment, what came in excess, and what came late', async () => {
    const { api } = await newUser()
    await deposit(api, '0.25')
    const { id, ...asked } = await pricedItem(api, 'Bitcoin')
    expect(asked.status).toBe(200)
    const { address, amount } = await pricedItem(api, 'Dogecoin')
    chain.pay('Dogecoin', address, amount)
    await chain.confirm('Dogecoin', 6)
    chain.pay('Dogecoin', address, 3)
    await chain.confirm('Dogecoin', 6)
    const { entries } = await get(api, '/ledger')
    expect(entries).toMatchObject([
      { kind: 'excess', blockchain: 'Dogecoin', subject: address, change: 3, balance: 3 },
      { kind: 'payment', blockchain: 'Dogecoin', subject: 'a.txt', balance: 0 },
      { kind: 'deposit', blockchain: 'Dogecoin', subject: address, change: amount },
      { kind: 'payment', blockchain: 'Bitcoin', subject: 'a.txt' },
      { kind: 'deposit', blockchain: 'Bitcoin', change: 0.25, balance: 0.25 },
    ])
    const cancelled = await pricedItem(api, 'Nativecoin')
    await api.sendJson('DELETE', '/payment', { address: cancelled.address })
    chain.pay('Nativecoin', cancelled.address, 1)
    await chain.confirm('Nativecoin', 3)
    expect((await get(api, '/ledger')).entries).toMatchObject([{ kind: 'late', change: 1 }, {}, {}, {}, {}, {}])
  })

  it('names the first three items that were paid for, and how many more there are', async () => {
    const { api } = await newUser()
    await deposit(api, '0.25')
    const ids: string[] = []
    for (let count = 0; count < 5; count++) ids.push(await mergedItem(api, 'Bitcoin'))
    expect((await askPayment(api, ids, 'Bitcoin')).status).toBe(200)
    const { entries } = await get(api, '/ledger')
    expect(entries).toMatchObject([{ kind: 'payment', subject: 'a.txt, a.txt, a.txt and 2 more' }, {}])
    expect((await askPayment(api, [await mergedItem(api, 'Bitcoin')], 'Bitcoin')).status).toBe(200)
    expect((await get(api, '/ledger')).entries).toMatchObject([{ kind: 'payment', subject: 'a.txt' }, {}, {}])
  })

  it('P17: goes page by page, and is a table of all with formulas made harmless', async () => {
    const { api, userId } = await newUser()
    const moves = Array.from({ length: 120 }, (_, index) => index + 1)
    const rows = moves.map((seq) => ({ seq, balance: `${seq}00000000`, cause: `manual:${userId}${seq}` }))
    await add('ledger', ...rows.map((row) => ({ ...row, user_id: userId, amount: '100000000' })))
    const first = await get(api, '/ledger')
    const second = await get(api, `/ledger?cursor=${first.cursor}`)
    const third = await get(api, `/ledger?cursor=${second.cursor}`)
    const balances = [first, second, third].flatMap(({ entries }) =>
      Array.isArray(entries) ? entries.map(({ balance }) => balance) : [],
    )
    expect([balances, third.cursor]).toEqual([moves.toReversed(), undefined])
    const text = await (await csv(api, '/ledger')).text()
    expect(text.split('\r\n')).toHaveLength(122)
    expect(text).toContain(',Bitcoin,manual,,1.00000000,120.00000000,Bitcoin-120\r\n')
  })

  it('P17: does not let the name of an item run as a formula', async () => {
    const { api } = await newUser()
    await deposit(api, '0.5')
    const id = await mergedItem(api, 'Bitcoin')
    await runSql('UPDATE items SET name = ? WHERE id = ?', '=1+1', id)
    await askPayment(api, [id], 'Bitcoin')
    expect(await (await csv(api, '/ledger')).text()).toContain(",payment,'=1+1,-")
  })
})

describe('the profile', () => {
  it('tells what is on its way, until it is balance', async () => {
    const { api } = await newUser()
    const profile = async () => await get(api, '/user')
    await deposit(api, '0.5', false)
    expect(await profile()).toMatchObject({
      pending: { Bitcoin: 0.5 },
      balances: { Bitcoin: 0 },
      reserved: { Bitcoin: 0 },
    })
    await chain.confirm('Bitcoin', 2)
    expect(await profile()).toMatchObject({ pending: { Bitcoin: 0 }, balances: { Bitcoin: 0.5 } })
  })
})
