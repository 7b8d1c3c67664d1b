import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { selectPayoutNumber } from '../../../../worker/chain/follower/payout-numbers.ts'
import { cancelWithdrawal } from '../../../../worker/features/payouts/end/end-withdrawal.ts'
import { failRecord } from '../../fail-record.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { callApi } from '../items/api.ts'
import { get } from '../payments/customer.ts'
import { askPayment, mergedItem } from '../payments/pay-for-items.ts'
import { noLabels } from './no-labels.ts'
import { refuseRecords } from './refuse-records.ts'
import { withWithdrawal } from './with-withdrawal.ts'

const chain = useDevnet()
const warn = vi.spyOn(console, 'warn')
const error = vi.spyOn(console, 'error')
beforeEach(() => {
  chain.setAhead(0)
  warn.mockImplementation(() => {})
  error.mockImplementation(() => {})
})

const received = (address: unknown) => Number(chain.call('Bitcoin', 'getreceivedbyaddress', [address, 0]))

/** What another copy of the wallet signs that spends the coin of a withdrawal, in hex. */
async function spendOtherwise(id: string): Promise<string> {
  const coin = Object(await env.DB.prepare('SELECT * FROM withdrawals WHERE id = ?').bind(id).first())
  chain.call('Bitcoin', 'devrestart', [])
  const spends = [{ txid: coin.coin_txid, vout: coin.coin_vout }]
  const outputs = {
    [chain.call('Bitcoin', 'getnewaddress') as string]: (Number(coin.coin_value) / 1e8 - 0.001).toFixed(8),
  }
  const raw = chain.callWallet('Bitcoin', 'createrawtransaction', [spends, outputs])
  return String(Object(chain.callWallet('Bitcoin', 'signrawtransactionwithwallet', [raw])).hex)
}

describe('DELETE /v0/withdrawal/<id>', () => {
  it('gives amount and fee back while nothing was signed, once, and it is never paid', async () => {
    const { api, cancel, show, balance, address, events } = await withWithdrawal(chain)
    const other = callApi((await signIn()).headers)
    expect(await cancel(other)).toMatchObject({ status: 404 })
    expect(await cancel()).toMatchObject({ status: 200, state: 'cancelled' })
    expect(await balance()).toBe(0.5)
    expect(await cancel()).toMatchObject({ status: 409, code: 'withdrawal_ended' })
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect([await balance(), received(address), (await show())?.state]).toEqual([0.5, 0, 'cancelled'])
    expect((await get(api, '/ledger')).entries).toMatchObject([
      { kind: 'refund', subject: address, balance: 0.5 },
      { kind: 'fee' },
      { kind: 'withdrawal' },
      { kind: 'deposit' },
    ])
    expect(await events()).toEqual(['withdrawal.cancelled'])
  })

  it('gives back what its owner agreed to pay more for the fee while it was being cancelled', async () => {
    const { api, id, cancel, balance, fee } = await withWithdrawal(chain)
    await env.DB.prepare("UPDATE withdrawals SET fee_rate = '1', fee = '1' WHERE id = ?").bind(id).run()
    const before = Number(await balance())
    const put = env.BUCKET.put.bind(env.BUCKET)
    const raising = vi.spyOn(env.BUCKET, 'put').mockImplementationOnce(async (...given: Parameters<typeof put>) => {
      expect((await api.sendJson('POST', `/withdrawal/${id}/fee`, { maxFee: '1' })).status).toBe(200)
      return await put(...given)
    })
    expect(await cancel()).toMatchObject({ status: 200, state: 'cancelled' })
    raising.mockRestore()
    // The amount, and what was debited for the fee before; what was agreed to on top is back, too.
    expect(await balance()).toBeCloseTo(before + 0.2 + fee, 8)
  })

  it('ends only when the agent of the chain has stored that an end is counted', async () => {
    const { userId, id, show, balance } = await withWithdrawal(chain)
    const before = await balance()
    const number = await selectPayoutNumber(env.DB, 'Bitcoin')
    const ending = { ...noLabels, db: env.DB, bucket: env.BUCKET, now: Date.now() }
    let calls = 0
    const failing = async () => {
      if (calls++ === 0) return number
      expect([(await show())?.state, await selectPayoutNumber(env.DB, 'Bitcoin')]).toEqual(['waiting', number + 1])
      throw new Error('the agent does not answer')
    }
    await expect(cancelWithdrawal({ ...ending, noticeRestore: failing }, userId, id)).rejects.toThrow('does not answer')
    expect([calls, (await show())?.state, await balance()]).toEqual([2, 'waiting', before])
    await cancelWithdrawal(
      { ...ending, noticeRestore: (blockchain) => selectPayoutNumber(env.DB, blockchain) },
      userId,
      id,
    )
    expect([(await show())?.state, await balance()]).toEqual(['cancelled', 0.5])
  })

  it('is 409 once something was signed', async () => {
    const { cancel, show, balance } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    const before = await balance()
    expect(await cancel()).toMatchObject({ status: 409, code: 'withdrawal_signed' })
    expect([(await show())?.state, await balance()]).toEqual(['sent', before])
    await chain.confirm('Bitcoin', 2)
  })

  it('waits while the database is older than what was paid out', async () => {
    const { cancel, decide, balance } = await withWithdrawal(chain)
    const stop = `INSERT INTO stops (blockchain, part, cause, reason, since) VALUES ('Bitcoin', 'payouts', 'restored', 'x', 1)`
    await env.DB.prepare(stop).run()
    const before = await balance()
    expect(await cancel()).toMatchObject({ status: 503, code: 'payouts_stopped' })
    expect(await decide('refund')).toMatchObject({ status: 503, code: 'payouts_stopped' })
    expect(await balance()).toBe(before)
    await env.DB.prepare('DELETE FROM stops').run()
    expect(await cancel()).toMatchObject({ status: 200 })
  })
})

describe('POST /v0/operate/withdrawal/<id>', () => {
  it('refunds at once what was never signed, and gives nothing back of what was paid elsewhere', async () => {
    const one = await withWithdrawal(chain)
    expect(await one.decide('refund')).toMatchObject({ status: 200, state: 'refunded' })
    expect(await one.balance()).toBe(0.5)
    expect(await one.decide('refund')).toMatchObject({ status: 409, code: 'withdrawal_ended' })
    const other = await withWithdrawal(chain)
    const before = await other.balance()
    expect(await other.decide('approve')).toMatchObject({ status: 409, code: 'withdrawal_not_held' })
    expect(await other.decide('paid_elsewhere')).toMatchObject({ status: 200, state: 'paid_elsewhere' })
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect([await other.balance(), received(other.address)]).toEqual([before, 0])
    expect([await one.events(), await other.events()]).toEqual([['withdrawal.refunded'], ['withdrawal.paid_elsewhere']])
  })

  it('spends the coin of what was signed back to the wallet, and refunds when that is six blocks deep', async () => {
    const { decide, show, balance, address, events } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    const txid = String((await show())?.txid)
    const before = await balance()
    expect(await decide('refund')).toMatchObject({
      ...{ status: 200, state: 'sent', since: expect.any(Number) },
      message: expect.stringContaining('spent back'),
    })
    expect(await decide('refund')).toMatchObject({ status: 409, code: 'request_changing' })
    // Our node has forgotten it, another may have it.
    const raw = chain.call('Bitcoin', 'getrawtransaction', [txid])
    chain.evict('Bitcoin', txid)
    await chain.confirm('Bitcoin')
    await chain.confirm('Bitcoin')
    expect([await balance(), (await show())?.state]).toEqual([before, 'sent'])
    await chain.confirm('Bitcoin', 5)
    expect([(await show())?.state, await balance()]).toEqual(['refunded', 0.5])
    expect(() => chain.call('Bitcoin', 'sendrawtransaction', [raw])).toThrow()
    expect(chain.call('Bitcoin', 'getreceivedbyaddress', [address, 1])).toBe(0)
    expect(await events()).toEqual(['withdrawal.sent', 'withdrawal.refunded'])
  })

  it('spends the coin back while what was signed waits in the mempool: a payout says that it may be replaced', async () => {
    const { decide, show, balance, address } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    const txid = String((await show())?.txid)
    const { vin } = chain.call('Bitcoin', 'getrawtransaction', [txid, true]) as { vin: { sequence: number }[] }
    // BIP 125: below 0xfffffffe; a node without full replacement takes no other otherwise.
    expect(vin.map(({ sequence }) => sequence)).toEqual(vin.map(() => 0xffff_fffd))
    await decide('refund')
    await chain.work('Bitcoin')
    expect(chain.call('Bitcoin', 'getrawmempool')).not.toContain(txid)
    await chain.confirm('Bitcoin')
    await chain.confirm('Bitcoin', 5)
    expect([(await show())?.state, await balance()]).toEqual(['refunded', 0.5])
    expect(chain.call('Bitcoin', 'getreceivedbyaddress', [address, 1])).toBe(0)
  })

  it('counts what spends the coin back from its block, however long that was not mined', async () => {
    const { decide, show } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    await decide('refund')
    await chain.work('Bitcoin')
    await chain.passBy('Bitcoin', 8)
    await chain.confirm('Bitcoin')
    await chain.confirm('Bitcoin', 4)
    expect((await show())?.state).toBe('sent')
    await chain.confirm('Bitcoin')
    expect((await show())?.state).toBe('refunded')
  })

  it('spends no coin back while the database is older than what was paid out', async () => {
    const { decide, show, balance } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    const txid = String((await show())?.txid)
    await decide('refund')
    const stop = `INSERT INTO stops (blockchain, part, cause, reason, since) VALUES ('Bitcoin', 'payouts', 'restored', 'x', 1)`
    await env.DB.prepare(stop).run()
    await chain.work('Bitcoin')
    expect(chain.call('Bitcoin', 'getrawmempool')).toContain(txid)
    await env.DB.prepare('DELETE FROM stops').run()
    await chain.work('Bitcoin')
    expect(chain.call('Bitcoin', 'getrawmempool')).not.toContain(txid)
    await chain.confirm('Bitcoin')
    await chain.confirm('Bitcoin', 5)
    expect([(await show())?.state, await balance()]).toEqual(['refunded', 0.5])
  })

  it('spends its coin back while writing is stopped', async () => {
    const { decide, show, balance } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    chain.evict('Bitcoin', String((await show())?.txid))
    const stop = `INSERT INTO stops (blockchain, part, cause, reason, since) VALUES ('Bitcoin', 'writing', 'hand', 'x', 1)`
    await env.DB.prepare(stop).run()
    await decide('refund')
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin')
    await chain.confirm('Bitcoin', 7)
    await chain.confirm('Bitcoin', 7)
    await env.DB.prepare('DELETE FROM stops').run()
    expect([(await show())?.state, await balance()]).toEqual(['refunded', 0.5])
  })

  it('leaves it on its way while transactions of paid items stand on its own, and is paid with them', async () => {
    const { api, decide, show, balance, address } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    const item = await mergedItem(api, 'Bitcoin')
    expect(await askPayment(api, [item], 'Bitcoin')).toMatchObject({ status: 200 })
    await chain.work('Bitcoin')
    const sql =
      'SELECT tx_chain, state FROM transactions WHERE item_id = ? OR withdrawal_id IS NOT NULL AND tx_chain = ('
    const rows = async () =>
      (await env.DB.prepare(`${sql}SELECT tx_chain FROM transactions WHERE item_id = ?1)`).bind(item).all()).results
    const [first] = await rows()
    expect(await rows()).toEqual([first, first])
    const before = await balance()
    await decide('refund')
    await chain.work('Bitcoin')
    expect(await show()).toMatchObject({ state: 'sent', message: expect.stringContaining('paid items') })
    expect(await rows()).toEqual([first, first])
    await chain.confirm('Bitcoin', 2)
    expect([(await show())?.state, await balance(), received(address)]).toEqual(['confirmed', before, 0.2])
  })

  it('pays what is mined before its coin is back, and refunds nothing', async () => {
    const { decide, show, balance, address } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    const txid = String((await show())?.txid)
    const raw = chain.call('Bitcoin', 'getrawtransaction', [txid])
    const before = await balance()
    chain.evict('Bitcoin', txid)
    await decide('refund')
    await chain.work('Bitcoin')
    // What spends it back is lost, and somebody else mines the payment.
    for (const waiting of chain.call('Bitcoin', 'getrawmempool') as string[]) chain.evict('Bitcoin', waiting)
    chain.call('Bitcoin', 'sendrawtransaction', [raw])
    await chain.confirm('Bitcoin')
    await chain.confirm('Bitcoin', 7)
    await chain.confirm('Bitcoin', 7)
    expect([(await show())?.state, await balance(), received(address)]).toEqual(['confirmed', before, 0.2])
  })

  it('refunds what can never be sent, for another copy of the wallet has spent its coin for good', async () => {
    const { id, decide, show, balance, address } = await withWithdrawal(chain)
    chain.refuseNext('sendrawtransaction', { code: -26, message: 'min relay fee not met' })
    await chain.work('Bitcoin')
    const hex = await spendOtherwise(id)
    chain.call('Bitcoin', 'sendrawtransaction', [hex, 0])
    await chain.confirm('Bitcoin', 8)
    // What the node has just refused is tried again after two seconds.
    chain.setAhead(2_000)
    await chain.work('Bitcoin')
    expect(await show()).toMatchObject({
      state: 'waiting',
      message: expect.stringContaining('has been spent otherwise. The operator has to decide'),
      since: expect.any(Number),
    })
    await failRecord('withdrawal', id)
    expect(await decide('refund')).toMatchObject({ status: 200 })
    await chain.confirm('Bitcoin')
    expect(await show()).toMatchObject({ message: expect.stringContaining('Another transaction has spent the coin') })
    await chain.confirm('Bitcoin')
    await chain.confirm('Bitcoin', 7)
    expect([(await show())?.state, await balance(), received(address)]).toEqual(['refunded', 0.5, 0])
  })

  it('is asked for where what was sent can never be mined, until what spent its coin leaves the chain', async () => {
    const { id, show, address } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    const txid = String((await show())?.txid)
    const payment = chain.call('Bitcoin', 'getrawtransaction', [txid])
    const hex = await spendOtherwise(id)
    chain.evict('Bitcoin', txid)
    chain.call('Bitcoin', 'sendrawtransaction', [hex, 0])
    await chain.confirm('Bitcoin', 2)
    const message = expect.stringContaining('has been spent otherwise. The operator has to decide')
    expect(await show()).toMatchObject({ state: 'sent', txid: null, message, since: expect.any(Number) })
    for (let blocks = 0; blocks < 2; blocks++)
      chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getbestblockhash')])
    for (const waiting of chain.call('Bitcoin', 'getrawmempool') as string[]) chain.evict('Bitcoin', waiting)
    chain.call('Bitcoin', 'sendrawtransaction', [payment])
    chain.setAhead(3_600_000)
    await chain.passBy('Bitcoin', 3)
    expect(await show()).toMatchObject({ state: 'sent', txid })
    expect(await show()).not.toHaveProperty('message')
    await chain.confirm('Bitcoin', 2)
    expect(received(address)).toBe(0.2)
  })

  it('gives up what was signed and never sent where its coin was spent otherwise', async () => {
    const { id, decide, show, balance } = await withWithdrawal(chain)
    const put = env.BUCKET.put.bind(env.BUCKET)
    const broken = vi.spyOn(env.BUCKET, 'put').mockImplementation(async (...given: Parameters<typeof put>) => {
      if (/^payouts\/Bitcoin\/[\da-f]{64}$/.test(given[0])) throw new Error('put: failed')
      return await put(...given)
    })
    await chain.work('Bitcoin')
    chain.call('Bitcoin', 'sendrawtransaction', [await spendOtherwise(id), 0])
    expect(await decide('refund')).toMatchObject({ status: 200, state: 'waiting' })
    await chain.confirm('Bitcoin')
    await chain.confirm('Bitcoin', 7)
    await chain.confirm('Bitcoin')
    broken.mockRestore()
    expect([(await show())?.state, await balance()]).toEqual(['refunded', 0.5])
    const { results } = await env.DB.prepare('SELECT state, attempts FROM transactions WHERE withdrawal_id = ?')
      .bind(id)
      .all()
    expect(results).toEqual([{ state: 'dead', attempts: 0 }])
  })

  it('does not end while what its coin came from is off the chain: nothing has spent that, and it may still be paid', async () => {
    const { decide, show, balance, address } = await withWithdrawal(chain)
    // The smallest that is enough: what it is tied to.
    chain.pay('Bitcoin', chain.callWallet('Bitcoin', 'getnewaddress'), '0.2005')
    chain.mine('Bitcoin')
    const block = chain.call('Bitcoin', 'getbestblockhash')
    chain.mine('Bitcoin')
    const takeRecords = refuseRecords()
    await chain.work('Bitcoin')
    takeRecords()
    expect(await decide('refund')).toMatchObject({ status: 200, state: 'waiting' })
    chain.call('Bitcoin', 'invalidateblock', [block])
    await chain.passBy('Bitcoin', 9)
    expect(await show()).toMatchObject({
      state: 'waiting',
      message: expect.stringContaining('not on the chain for now'),
    })
    await chain.confirm('Bitcoin')
    expect(await show()).toMatchObject({ state: 'waiting', message: expect.stringContaining('spent back') })
    await chain.mineAndWork('Bitcoin', 8)
    expect([(await show())?.state, await balance(), received(address)]).toEqual(['refunded', 0.5, 0])
  })

  it('counts what spends its coin anew where a reorganisation took that away in between', async () => {
    const { id, decide, show, address } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    const txid = String((await show())?.txid)
    const payment = chain.call('Bitcoin', 'getrawtransaction', [txid])
    const other = await spendOtherwise(id)
    chain.evict('Bitcoin', txid)
    chain.call('Bitcoin', 'sendrawtransaction', [other, 0])
    expect(await decide('refund')).toMatchObject({ status: 200 })
    await chain.confirm('Bitcoin')
    const block = String(chain.call('Bitcoin', 'getbestblockhash'))
    chain.call('Bitcoin', 'invalidateblock', [block])
    for (const waiting of chain.call('Bitcoin', 'getrawmempool') as string[]) chain.evict('Bitcoin', waiting)
    // Its coin can't be spent back just now.
    chain.refuseNext('getrawchangeaddress', { code: -12, message: 'Keypool ran out' })
    expect(await show()).toMatchObject({ message: expect.stringContaining('Another transaction has spent the coin') })
    await chain.passBy('Bitcoin', 2)
    expect(await show()).toMatchObject({ message: expect.stringContaining('spent back to the wallet') })
    chain.devnet.node('Bitcoin').mine(Uint8Array.of(0x51), { empty: true })
    for (let empty = 0; empty < 6; empty++) chain.devnet.node('Bitcoin').mine(Uint8Array.of(0x51), { empty: true })
    for (const waiting of chain.call('Bitcoin', 'getrawmempool') as string[]) chain.evict('Bitcoin', waiting)
    chain.call('Bitcoin', 'sendrawtransaction', [other, 0])
    chain.setAhead(3_600_000)
    await chain.confirm('Bitcoin')
    expect((await show())?.state).toBe('sent')
    chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getbestblockhash')])
    for (const waiting of chain.call('Bitcoin', 'getrawmempool') as string[]) chain.evict('Bitcoin', waiting)
    chain.call('Bitcoin', 'sendrawtransaction', [payment])
    await chain.confirm('Bitcoin', 2)
    await chain.confirm('Bitcoin')
    expect([(await show())?.state, received(address)]).toEqual(['confirmed', 0.2])
  })

  it('counts what spends its coin from the block of now, where a reorganisation took that from the one before at once', async () => {
    const { id, decide, show, balance } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    chain.evict('Bitcoin', String((await show())?.txid))
    chain.call('Bitcoin', 'sendrawtransaction', [await spendOtherwise(id), 0])
    expect(await decide('refund')).toMatchObject({ status: 200 })
    await chain.confirm('Bitcoin')
    const block = chain.call('Bitcoin', 'getbestblockhash')
    await chain.mineAndWork('Bitcoin', 4)
    chain.call('Bitcoin', 'invalidateblock', [block])
    for (let empty = 0; empty < 5; empty++) chain.devnet.node('Bitcoin').mine(Uint8Array.of(0x51), { empty: true })
    await chain.confirm('Bitcoin', 2)
    expect((await show())?.state).toBe('sent')
    await chain.mineAndWork('Bitcoin', 6)
    expect([(await show())?.state, await balance()]).toEqual(['refunded', 0.5])
  })
})
