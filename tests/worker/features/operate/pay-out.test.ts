import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { fetchApi } from '../../fetch-api.ts'
import { logInQuickly, signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { newCustomer } from '../payments/customer.ts'
import { type Answer, readAnswer } from '../payments/pay-for-items.ts'

const chain = useDevnet()

let operator: Awaited<ReturnType<typeof signIn>>
let address: string
beforeEach(async () => {
  operator = await signIn('admin')
  address = String(chain.call('Bitcoin', 'getnewaddress'))
})

const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  readAnswer(
    await fetchApi('POST', `/v0/operate/${path}`, {
      ...{ token: operator.token, headers },
      body: { blockchain: 'Bitcoin', address, reason: 'a test', ...body },
    }),
  )
const received = () => Number(chain.call('Bitcoin', 'getreceivedbyaddress', [address, 0]))
async function confirm(): Promise<void> {
  await chain.work('Bitcoin')
  await chain.confirm('Bitcoin', 2)
}
const lastAct = async () => {
  const { entries } = await readAnswer(await fetchApi('GET', '/v0/audit', { token: operator.token }))
  return Array.isArray(entries) ? entries[0] : undefined
}

describe('money that an operator sends', () => {
  it.each(['sweep', 'pay-out', 'credit'])(
    'P3: needs a login of the last ten minutes for %s, and an operator',
    async (act) => {
      const body = { blockchain: 'Bitcoin', address, account: 'a@example.com', amount: '0.1', reason: 'a test' }
      const { accessToken } = await logInQuickly('admin', Date.now() - 601_000)
      const ask = async (token: string) => readAnswer(await fetchApi('POST', `/v0/operate/${act}`, { token, body }))
      expect(await ask(accessToken)).toMatchObject({ status: 403, code: 'login_again' })
      expect(await ask((await signIn('user')).token)).toMatchObject({ status: 403, code: 'permission_missing' })
      expect(received()).toBe(0)
    },
  )
})

describe('sweeping', () => {
  it('sends coins that nothing uses to an address, once for one Idempotency-Key', async () => {
    await confirm()
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const swept = await post('sweep', { amount: '1.5' }, headers)
    expect(swept).toMatchObject({ status: 202, amount: 1.5, address })
    expect(await post('sweep', { amount: '1.5' }, headers)).toEqual(swept)
    await confirm()
    expect(received()).toBe(1.5)
    const { withdrawals } = await readAnswer(await fetchApi('GET', '/v0/operate/sweep', { token: operator.token }))
    expect(withdrawals).toMatchObject([
      { id: swept.id, state: 'confirmed', amount: 1.5, address, txid: expect.stringMatching(/^[\da-f]{64}$/) },
    ])
    expect(await lastAct()).toMatchObject({ act: 'coins.swept', amount: 1.5, reason: 'a test' })
  })

  it('takes what is free once, of sweeps that come at once', async () => {
    await confirm()
    const { chains } = await readAnswer(await fetchApi('GET', '/v0/operate/health', { token: operator.token }))
    const { free } = (chains as Record<string, { free: number }>).Bitcoin ?? { free: 0 }
    const most = String(Math.floor(free * 0.6))
    const answers = await Promise.all([1, 2, 3].map(() => post('sweep', { amount: most })))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409])
    // Its coins are gathered first: one withdrawal spends four at most.
    await confirm()
    await confirm()
    expect(received()).toBe(Number(most))
  })

  it('refuses all that is free, which leaves nothing for the fee', async () => {
    await confirm()
    const { balance } = await post('sweep', { amount: '900000' })
    expect(await post('sweep', { amount: balance })).toMatchObject({ status: 409, code: 'balance_exceeded', balance })
  })

  it('refuses more than is free, an address that the chain does not know, and an act without a reason', async () => {
    await confirm()
    const beyond = await post('sweep', { amount: '900000' })
    expect(beyond).toMatchObject({ status: 409, code: 'balance_exceeded', balance: expect.stringMatching(/^[\d.]+$/) })
    expect(beyond.message).toContain(`${beyond.balance} coins are free`)
    expect(await post('sweep', { amount: '1', address: 'nobody' })).toMatchObject({ status: 400 })
    expect(await post('sweep', { amount: '1', reason: '' })).toMatchObject({ status: 400 })
    const dear = await post('sweep', { amount: '1', maxFee: '0.00000001' })
    expect(dear).toMatchObject({ status: 409, code: 'fee_too_high', maxFee: 0.00000001, fee: expect.any(Number) })
    expect(received()).toBe(0)
  })
})

describe('paying out what is held for a closed account', () => {
  it('takes it and the fee out of the balance, and no more than is there', async () => {
    const { userId: account } = await newCustomer(chain)
    expect(await post('pay-out', { account, amount: '0.1' })).toMatchObject({ status: 409, code: 'account_open' })
    await env.DB.prepare('UPDATE users SET status = 0 WHERE id = ?').bind(account).run()
    expect(await post('pay-out', { account, amount: '0.5' })).toMatchObject({ status: 409, code: 'balance_exceeded' })
    const paid = await post('pay-out', { account, amount: '0.4' })
    expect(paid).toMatchObject({ status: 202, amount: 0.4 })
    await confirm()
    expect(received()).toBe(0.4)
    expect(await lastAct()).toMatchObject({ act: 'balance.paid_out', account, amount: 0.4 })
    const list = async (query: string, token = operator.token) =>
      await readAnswer(await fetchApi('GET', `/v0/operate/pay-out${query}`, { token }))
    expect((await list(`?account=${account}`)).withdrawals).toMatchObject([{ id: paid.id, state: 'confirmed' }])
    expect(await list('')).toMatchObject({ status: 400, code: 'invalid_field' })
    expect(await list(`?account=${account}`, (await signIn('user')).token)).toMatchObject({ status: 403 })
    const row = await env.DB.prepare('SELECT balance FROM ledger WHERE user_id = ? ORDER BY seq DESC')
      .bind(account)
      .first<{ balance: string }>()
    expect(Number(row?.balance)).toBe(10_000_000 - Math.round(Number(paid.fee) * 1e8))
  })
})
