import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { NewPayment } from '../../../../contract/payment.ts'
import { objectId } from '../../../../protocol/object-id.ts'
import { NodeError } from '../../../../worker/chain/rpc/rpc-transport.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { cancelRequest } from '../../../../worker/features/payments/cancel-request.ts'
import { createAddress } from '../../../../worker/features/payments/create-address.ts'
import { describeTarget } from '../../../../worker/features/payments/describe-target.ts'
import { openRequest } from '../../../../worker/features/payments/open-request.ts'
import { requireWallet } from '../../../../worker/features/payments/payment-context.ts'
import { spendByKey } from '../../../../worker/features/payments/spend-by-key.ts'
import { parseOrThrow } from '../../../kit/parse-or-throw.ts'
import { clearMemories } from '../../clear-memories.ts'
import { askedTwice, beaten, noted } from '../../noted-calls.ts'
import { add } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { mergedItem, newUser } from './pay-for-items.ts'

useDevnet()
const MINUTE = 60_000

async function order(items = 1) {
  const { api, userId } = await newUser()
  const ids: string[] = []
  for (let item = 0; item < items; item++) ids.push(await mergedItem(api, 'Bitcoin'))
  return { api, userId, target: 'Bitcoin' as const, ids }
}

/** The node, with one method of which the result is known. */
function answering(method: string, result: unknown): WalletRpc {
  const rpc = noted().context.rpcOf('Bitcoin')
  if (!rpc) throw new Error('no node')
  return async (calls) => (calls[0]?.method === method ? calls.map(() => ({ result })) : await rpc(calls))
}

const giveBalance = (user_id: string, amount: string) =>
  add('ledger', { user_id, seq: 1, amount, balance: amount, cause: `manual:${user_id}` })

describe('nothing is asked twice of D1 or the node', () => {
  it('when a request is opened, shown again, expired and cancelled', async () => {
    const asked = await order()
    const first = noted()
    const opened = await openRequest(first.context, asked)
    if (opened.state !== 'waiting') throw new Error(opened.state)
    const { address, expiresAt, createdAt, parts } = opened.request
    expect([askedTwice(first.calls), opened.received]).toEqual([[], 0n])
    expect(first.calls.filter((call) => call.includes('getnewaddress'))).toHaveLength(1)
    expect(first.calls.filter((call) => call.includes('"estimatesmartfee","params":[2]'))).toHaveLength(1)
    expect([expiresAt - createdAt, parts.networkFee === 0n]).toEqual([3_600_000, false])
    const again = noted()
    expect(await openRequest(again.context, asked)).toMatchObject({ state: 'waiting', request: { address } })
    expect(askedTwice(again.calls)).toEqual([])
    const late = noted(expiresAt + 1)
    const renewed = await openRequest(late.context, asked)
    expect(askedTwice(late.calls)).toEqual([])
    if (renewed.state !== 'waiting') throw new Error(renewed.state)
    expect(renewed.request.address).not.toBe(address)
    const cancelling = noted()
    expect(await cancelRequest(cancelling.context, asked.userId, renewed.request.address)).toEqual({ kept: false })
    expect(askedTwice(cancelling.calls)).toEqual([])
  })

  it('when a balance pays, at once or a request that waits, for a key with a limit', async () => {
    const [now, later] = [await order(), await order()]
    const key = { id: 'key', spending: { Bitcoin: 100_000_000n } }
    await add('api_keys', { id: 'key', user_id: now.userId })
    await openRequest(noted().context, later)
    for (const asked of [now, later]) {
      await giveBalance(asked.userId, '100000000')
      const paying = noted()
      expect(await openRequest(paying.context, { ...asked, key })).toMatchObject({
        state: 'paid',
        message: expect.stringMatching(/^Paid from your balance/),
      })
      expect(askedTwice(paying.calls)).toEqual([])
    }
  })

  it('when an address is made', async () => {
    const { userId } = await newUser()
    const making = noted()
    await createAddress(making.context, userId, 'Bitcoin')
    expect(askedTwice(making.calls)).toEqual([])
    expect(making.calls.filter((call) => call.includes('getnewaddress'))).toHaveLength(1)
  })

  it('when somebody asks whether something can be stored', async () => {
    const asking = noted()
    expect(await describeTarget(asking.context, 'Bitcoin')).toMatchObject({ available: true })
    expect(askedTwice(asking.calls)).toEqual([])
  })
})

describe('asking for payment', () => {
  it('says which of several items is not there, and which is paid for', async () => {
    const [mine, theirs] = [await order(2), await order()]
    const [first = '', second = ''] = mine.ids
    const ask = (ids: string[]) => openRequest(noted().context, { ...mine, ids })
    const [missing = ''] = theirs.ids
    await expect(ask([first, missing])).rejects.toThrow(missing)
    await giveBalance(mine.userId, '100000000')
    expect(await ask([first])).toMatchObject({ state: 'paid' })
    await expect(ask([first, second])).rejects.toThrow(`Item ${first} is paid for`)
  })

  it('lets the other items of a request go whose one item was deleted', async () => {
    const asked = await order(2)
    const [gone = '', left = ''] = asked.ids
    await openRequest(noted().context, asked)
    await env.DB.prepare('UPDATE items SET removed_at = 1 WHERE id = ?').bind(gone).run()
    const releasing = noted()
    const ask = () => openRequest(releasing.context, { ...asked, ids: [left] })
    await expect(ask()).rejects.toMatchObject({ code: 'items_in_other_request' })
    expect(askedTwice(releasing.calls)).toEqual([])
    expect(await ask()).toMatchObject({ state: 'waiting' })
  })

  it('opens no request for an item that another call pays while its address is made', async () => {
    const asked = await order()
    await giveBalance(asked.userId, '100000000')
    const { context } = noted()
    const node = context.rpcOf('Bitcoin')
    const rpc: WalletRpc = async (calls) => {
      if (calls.some(({ method }) => method === 'getnewaddress')) await openRequest(noted().context, asked)
      return (await node?.(calls)) ?? []
    }
    const late = await openRequest({ ...context, rpcOf: () => rpc }, { ...asked, maxFromBalance: 0n })
    expect(late).toMatchObject({ state: 'paid', message: expect.stringContaining('Nothing is left to pay') })
  })

  it('after it expired shows the same request where the node has seen one base unit for it', async () => {
    const asked = await order()
    const opened = await openRequest(noted().context, asked)
    if (opened.state !== 'waiting') throw new Error(opened.state)
    const { address, expiresAt } = opened.request
    const rpc = answering('getreceivedbyaddress', '0.00000001')
    const again = await openRequest({ ...noted(expiresAt + 1).context, rpcOf: () => rpc }, asked)
    expect(again).toMatchObject({ state: 'waiting', request: { address } })
  })

  it('is refused where no coin is free for one base unit of fees, and an address that needs none is made', async () => {
    const { userId } = await newUser()
    const rpc = answering('listunspent', [])
    const context = { ...noted().context, rpcOf: () => rpc }
    await expect(requireWallet(context, rpc, 'Bitcoin', 1n)).rejects.toMatchObject({
      ...{ status: 503, headers: { 'Retry-After': '30' } },
      cause: expect.stringMatching(/^the wallet has 0 free .* and 0\.00000001 are needed$/),
    })
    await createAddress(context, userId, 'Bitcoin')
    clearMemories()
    expect(await describeTarget(context, 'Bitcoin')).toMatchObject({ available: true })
  })

  it('gives up after five rounds in which others were faster', async () => {
    const asked = await order()
    const { context, calls } = noted()
    await expect(openRequest(beaten(context), asked)).rejects.toMatchObject({ code: 'request_changing' })
    expect(calls.filter((call) => call.includes('getnewaddress'))).toHaveLength(5)
  })

  it('is for 200 items at most', () => {
    const body = (count: number) => ({
      blockchain: 'Bitcoin',
      ids: Array.from({ length: count }, (_, at) => objectId(at)),
    })
    expect(parseOrThrow(NewPayment, body(200)).ids).toHaveLength(200)
    expect(() => parseOrThrow(NewPayment, body(201))).toThrow('at most 200 items')
  })

  it('by a key with limits of other chains only pays nothing, not one base unit', async () => {
    const { userId } = await newUser()
    await add('api_keys', { id: 'other', user_id: userId })
    const spend = (amount: bigint) =>
      spendByKey(env.DB, { id: 'other', spending: { Dogecoin: 9n } }, { blockchain: 'Bitcoin', amount }, Date.now())
    await expect(spend(1n)).rejects.toMatchObject({ code: 'spending_limit' })
  })
})

describe('cancelling', () => {
  const cancelWith = async (rpc: WalletRpc | undefined) => {
    const asked = await order()
    const { context } = noted()
    const opened = await openRequest(context, asked)
    if (opened.state !== 'waiting') throw new Error(opened.state)
    const { address } = opened.request
    const cancelled = cancelRequest({ ...context, rpcOf: () => rpc }, asked.userId, address)
    return { cancelled, rows: async () => await rowsOf(address, asked.ids) }
  }

  /** What the database says of a request and its items. */
  async function rowsOf(address: string, ids: readonly string[]) {
    const request = await env.DB.prepare('SELECT state FROM payment_requests WHERE address = ?').bind(address).first()
    const items = env.DB.prepare(
      'SELECT COUNT(*) AS items FROM items WHERE id IN (SELECT value FROM json_each(?)) AND removed_at IS NULL',
    )
    return { ...request, ...(await items.bind(JSON.stringify(ids)).first()) }
  }

  it('is refused once one base unit has come', async () => {
    const rpc = answering('getreceivedbyaddress', '0.00000001')
    await expect((await cancelWith(rpc)).cancelled).rejects.toMatchObject({ code: 'payment_seen' })
  })

  it('is refused for what the agent has seen without asking anybody else', async () => {
    const asked = await order()
    const opened = await openRequest(noted().context, asked)
    if (opened.state !== 'waiting') throw new Error(opened.state)
    const { address } = opened.request
    await add('outputs', { address, txid: 'seen', in_mempool: 1 })
    const { context, calls } = noted()
    await expect(cancelRequest(context, asked.userId, address)).rejects.toMatchObject({ code: 'payment_seen' })
    expect(calls.map((call) => /^SELECT .*? FROM (\w+)/s.exec(call)?.[1])).toEqual([
      'payment_requests',
      expect.anything(),
    ])
  })

  it.each([
    ['none is set', undefined],
    ['it does not answer', () => Promise.reject(new NodeError('timeout', 'The node did not answer.'))],
    ['its wallet is another', () => Promise.resolve([{ error: { code: -4, message: 'Address not found in wallet' } }])],
  ] satisfies [string, WalletRpc | undefined][])(
    'removes nothing while the node can not be asked whether money came: %s',
    async (_, rpc) => {
      const { cancelled, rows } = await cancelWith(rpc)
      await expect(cancelled).rejects.toMatchObject({ status: 503, code: 'payment_unavailable' })
      expect(await rows()).toEqual({ state: 'open', items: 1 })
    },
  )
})

describe('deposit addresses', () => {
  it('are ten in any sixty seconds', async () => {
    const { userId } = await newUser()
    const start = Date.now()
    const make = (now: number) => createAddress(noted(now).context, userId, 'Bitcoin')
    for (let made = 0; made < 10; made++) expect((await make(start)).left.left).toBe(9 - made)
    await expect(make(start + MINUTE - 1)).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '60' } })
    expect((await make(start + MINUTE)).left.left).toBe(9)
  })

  it('that nothing came to are as many as the account’s quota', async () => {
    const { userId } = await newUser()
    const { context } = noted()
    const config = { ...context.config, quotas: { ...context.config.quotas, unusedAddresses: 2 } }
    const make = () => createAddress({ ...context, config }, userId, 'Bitcoin')
    await make()
    const late = noted()
    // One more would do: it is by the addresses of a minute that somebody else was faster.
    const beatenContext = { ...beaten(late.context), config }
    await expect(createAddress(beatenContext, userId, 'Bitcoin')).rejects.toMatchObject({
      ...{ status: 429, headers: { 'Retry-After': '60' } },
    })
    expect(askedTwice(late.calls)).toEqual([])
    await make()
    await expect(make()).rejects.toMatchObject({ status: 409 })
  })
})
