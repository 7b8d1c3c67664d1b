import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { reconcileWhenDue } from '../../../../worker/features/operate/reconcile.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { failRecord } from '../../fail-record.ts'
import { fetchApi } from '../../fetch-api.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { newCustomer } from '../payments/customer.ts'
import { askPayment, mergedItem, newUser, readAnswer, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()
let operator: Awaited<ReturnType<typeof signIn>>
let user: Awaited<ReturnType<typeof newUser>>
beforeEach(async () => {
  chain.setAhead(0)
  operator = await signIn('admin')
  user = await newUser()
  await env.DB.prepare('DELETE FROM stops').run()
})

const get = async (path: string) => await readAnswer(await fetchApi('GET', `/v0${path}`, { token: operator.token }))
const stop = async (body: Record<string, unknown>, blockchain = 'Bitcoin') =>
  await readAnswer(await fetchApi('PUT', `/v0/operate/stop/${blockchain}`, { token: operator.token, body }))
const ofBitcoin = async () => {
  const { chains } = await get('/operate/health')
  return (chains as Record<string, Record<string, unknown>>).Bitcoin
}

describe('PUT /v0/operate/stop/<chain>', () => {
  it('is for operators, needs both parts and a reason, and changes nothing without them', async () => {
    const { token } = await signIn('user')
    const body = { payouts: true, writing: true, reason: 'x' }
    expect((await fetchApi('PUT', '/v0/operate/stop/Bitcoin', { token, body })).status).toBe(403)
    for (const wrong of [
      { ...body, reason: ' ' },
      { payouts: true, reason: 'x' },
      { ...body, writing: 'no' },
    ]) {
      expect(await stop(wrong)).toMatchObject({ status: 400, code: 'invalid_field' })
    }
    expect(await stop(body, 'IPFS')).toMatchObject({ status: 400 })
    expect((await ofBitcoin())?.stops).toEqual([])
  })

  it('has withdrawals wait, which say so, until it lets them go on; health and the audit log say it', async () => {
    const { withdraw, withdrawals } = await newCustomer(chain)
    const stopped = await stop({ payouts: true, writing: false, reason: 'the wallet is moved' })
    expect(stopped).toMatchObject({
      status: 200,
      stops: [{ part: 'payouts', cause: 'hand', reason: 'the wallet is moved', since: expect.any(Number) }],
    })
    const { id } = await withdraw('0.1')
    await failRecord('withdrawal', id)
    await chain.work('Bitcoin')
    expect(await withdrawals()).toMatchObject([
      { state: 'waiting', message: expect.stringContaining('stopped payouts') },
    ])
    expect(await ofBitcoin()).toMatchObject({
      reason: 'payouts are stopped: the wallet is moved',
      remedy: expect.stringContaining('/v0/operate/stop'),
      stops: [{ part: 'payouts' }],
    })
    const entries = (await get('/audit')).entries as Record<string, unknown>[]
    expect(entries.filter(({ reason }) => reason === 'the wallet is moved')).toMatchObject([
      { act: 'chain.stopped', subject: 'part:payouts', by: operator.userId, blockchain: 'Bitcoin' },
    ])
    expect(await stop({ payouts: false, writing: false, reason: 'it is moved' })).toMatchObject({ stops: [] })
    await chain.work('Bitcoin')
    expect(await withdrawals()).toMatchObject([{ state: 'sent' }])
    await chain.confirm('Bitcoin', 2)
  })

  it('has paid items wait while writing is stopped, sells nothing for the chain then, and takes deposits', async () => {
    const id = await mergedItem(user.api, 'Bitcoin')
    const { address, amount } = await askPayment(user.api, [id], 'Bitcoin')
    await stop({ payouts: false, writing: true, reason: 'fees are wild' })
    chain.pay('Bitcoin', address, amount)
    await chain.confirm('Bitcoin', 2)
    const message = expect.stringContaining('stopped writing')
    expect(await showItem(user.api, id)).toMatchObject({ status: '202 Accepted', written: 0, message })
    const unpaid = await mergedItem(user.api, 'Bitcoin')
    expect(await askPayment(user.api, [unpaid], 'Bitcoin')).toMatchObject({ status: 503, code: 'payment_unavailable' })
    expect((await user.api.send('GET', '/payment/Bitcoin')).status).toBe(200)
    await stop({ payouts: false, writing: false, reason: 'they are not' })
    await chain.work('Bitcoin')
    expect(await showItem(user.api, id)).toMatchObject({ written: 1, message: 'Paid. It is being written.' })
    // Nothing of it waits for that any more.
    await stop({ payouts: false, writing: true, reason: 'once more' })
    await chain.work('Bitcoin')
    expect(await showItem(user.api, id)).toMatchObject({ message: 'Paid. It is being written.' })
    await chain.confirm('Bitcoin', 2)
    await stop({ payouts: false, writing: false, reason: 'a test' })
  })
})

describe("the wallet's limits", () => {
  it('have new withdrawals wait below the least', async () => {
    const { withdraw, withdrawals } = await newCustomer(chain)
    await withdraw('0.1')
    await chain.work('Bitcoin', { walletLeast: 10n ** 15n })
    expect(await withdrawals()).toMatchObject([
      { state: 'waiting', message: expect.stringContaining('below its limit') },
    ])
    await chain.work('Bitcoin')
    expect(await withdrawals()).toMatchObject([{ state: 'sent' }])
    await chain.confirm('Bitcoin', 2)
  })
})

describe('payouts by themselves', () => {
  it('stop after two comparisons ten minutes apart that differ, and tell operators once, by event and mail', async () => {
    const { withdraw, withdrawals } = await newCustomer(chain)
    const logs = (['info', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
    const config = readConfig(env)
    const ledger = env.DB.prepare(`UPDATE outputs SET amount = CAST(CAST(amount AS INTEGER) + ? AS TEXT)
      WHERE rowid = (SELECT MAX(rowid) FROM outputs WHERE blockchain = 'Bitcoin' AND block_height IS NOT NULL)`)
    await ledger.bind(7).run()
    const at = Date.now() + 2 * 86_400_000
    await reconcileWhenDue(env.DB, config, at)
    expect((await ofBitcoin())?.stops).toEqual([])
    await reconcileWhenDue(env.DB, config, at + 300_000)
    expect((await ofBitcoin())?.stops).toEqual([])
    await reconcileWhenDue(env.DB, config, at + 600_000)
    await reconcileWhenDue(env.DB, config, at + 1_200_000)
    expect((await ofBitcoin())?.stops).toMatchObject([{ part: 'payouts', cause: 'difference' }])
    const { results } = await env.DB.prepare(`SELECT user_id FROM events WHERE type = 'payouts.stopped'`).all()
    expect(results.filter(({ user_id }) => user_id === operator.userId)).toHaveLength(1)
    const mails = await env.DB.prepare(`SELECT about FROM mails WHERE template = 'incident'`).all<{ about: string }>()
    expect(mails.results[0]?.about).toContain('Payouts of Bitcoin are stopped.')
    await withdraw('0.1')
    await chain.work('Bitcoin')
    expect(await withdrawals()).toMatchObject([{ state: 'waiting' }])
    await ledger.bind(-7).run()
    await reconcileWhenDue(env.DB, config, at + 2 * 86_400_000)
    expect((await ofBitcoin())?.stops).toMatchObject([{ cause: 'difference' }])
    await stop({ payouts: false, writing: false, reason: 'it was a test' })
    await chain.work('Bitcoin')
    for (const log of logs) log.mockRestore()
    expect(await withdrawals()).toMatchObject([{ state: 'sent' }])
  })

  it('go on where what differs was looked at while the database was behind the chain, and stop once it is not', async () => {
    await newCustomer(chain)
    const logs = (['info', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
    const config = readConfig(env)
    const outputs = env.DB.prepare(`UPDATE outputs SET amount = CAST(CAST(amount AS INTEGER) + ? AS TEXT)
      WHERE rowid = (SELECT MAX(rowid) FROM outputs WHERE blockchain = 'Bitcoin' AND block_height IS NOT NULL)`)
    await outputs.bind(7).run()
    chain.mine('Bitcoin')
    const at = Date.now() + 10 * 86_400_000
    for (const day of [0, 1, 2]) await reconcileWhenDue(env.DB, config, at + day * 86_400_000)
    expect((await ofBitcoin())?.stops).toEqual([])
    await chain.work('Bitcoin')
    for (const day of [3, 4]) await reconcileWhenDue(env.DB, config, at + day * 86_400_000)
    expect((await ofBitcoin())?.stops).toMatchObject([{ cause: 'difference' }])
    await outputs.bind(-7).run()
    await stop({ payouts: false, writing: false, reason: 'it was a test' })
    for (const log of logs) log.mockRestore()
  })
})
