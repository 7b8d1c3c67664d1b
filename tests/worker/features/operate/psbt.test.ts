import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ChainAgent } from '../../../../worker/agent/chain-agent.ts'
import { fetchApi } from '../../fetch-api.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { askWithdrawal, get, payDeposit } from '../payments/customer.ts'
import { newUser, readAnswer } from '../payments/pay-for-items.ts'

const chain = useDevnet()
const WALLETS = { wallet: '', watch: 'cold' }

beforeAll(() => {
  chain.call('Bitcoin', 'createwallet', ['signer'])
  chain.call('Bitcoin', 'devwatchwallet', ['cold', 'signer'])
  const address = chain.callWallet('Bitcoin', 'getnewaddress')
  chain.pay('Bitcoin', address, '1')
})

const asWallet = (wallet: string, method: string, params: unknown[]): Record<string, unknown> => {
  const { body } = chain.devnet.handle('Bitcoin', JSON.stringify({ id: 1, method, params }), wallet)
  return JSON.parse(body).result
}

/** A withdrawal that is paid from the cold wallet, which has coins; its chain's agent has looked at it. */
async function withdrawing() {
  const { userId, api } = await newUser()
  await payDeposit(chain, api, '0.5')
  chain.pay('Bitcoin', asWallet('cold', 'getnewaddress', []), '0.5')
  chain.mine('Bitcoin', 7)
  await chain.work('Bitcoin', WALLETS)
  const address = String(chain.call('Bitcoin', 'getnewaddress'))
  const { id } = await askWithdrawal(api, { address, amount: '0.1' })
  await env.DB.prepare('UPDATE withdrawals SET cold = 1 WHERE id = ?').bind(id).run()
  await chain.work('Bitcoin', WALLETS)
  return { userId, id: String(id), address, show: () => get(api, '/withdrawal') }
}

describe('/v0/operate/psbt', () => {
  it('lists what waits for signatures to operators, and takes it back', async () => {
    const { userId, id, address, show } = await withdrawing()
    expect((await fetchApi('GET', '/v0/operate/psbt', { token: (await signIn('user')).token })).status).toBe(403)
    const { token } = await signIn('admin')
    const { psbts } = await readAnswer(await fetchApi('GET', '/v0/operate/psbt', { token }))
    expect(psbts).toEqual([
      {
        ...{ id, account: userId, blockchain: 'Bitcoin', address, state: 'waiting', amount: 0.1 },
        ...{ txid: expect.stringMatching(/^[0-9a-f]{64}$/), coin: expect.stringMatching(/^[0-9a-f]{64}:\d$/) },
        ...{ since: expect.any(Number), fee: expect.any(Number), psbt: expect.any(String) },
      },
    ])
    const [{ psbt, txid, fee }] = psbts as [Record<string, unknown>]
    const back = async (given: unknown, path = id) =>
      await readAnswer(await fetchApi('POST', `/v0/operate/psbt/${path}`, { token, body: { psbt: given } }))
    expect(await back(psbt)).toMatchObject({
      status: 400,
      code: 'invalid_field',
      message: expect.stringContaining('lacks signatures'),
    })
    expect(await back('cHNidP8=')).toMatchObject({
      status: 400,
      message: expect.stringContaining('must be the PSBT that was offered'),
    })
    expect(await back(7)).toMatchObject({ status: 400, code: 'invalid_field' })
    expect(await back(psbt, crypto.randomUUID())).toMatchObject({ status: 404 })
    const { psbt: signed } = asWallet('signer', 'walletprocesspsbt', [psbt])
    expect(await back(signed)).toMatchObject({ status: 202, id, txid, fee, address, amount: 0.1 })
    await chain.work('Bitcoin', WALLETS)
    expect((await show()).withdrawals).toMatchObject([{ id, state: 'sent', txid }])
    const { results } = await env.DB.prepare("SELECT act, subject FROM audit WHERE act = 'psbt.returned'").all()
    expect(results).toEqual([{ act: 'psbt.returned', subject: `withdrawal:${id}` }])
  })

  it('takes nothing back where the database was restored, for which the agent looks once first', async () => {
    const { id } = await withdrawing()
    const { token } = await signIn('admin')
    const { psbts } = await readAnswer(await fetchApi('GET', '/v0/operate/psbt', { token }))
    const [offered] = (psbts as Record<string, unknown>[]).filter((one) => one.id === id)
    const { psbt } = asWallet('signer', 'walletprocesspsbt', [offered?.psbt])
    const numbers = chain.numbersOf('Bitcoin')
    await numbers.write((await numbers.read()) + 1)
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const look = vi.spyOn(ChainAgent.prototype, 'noticeRestore')
    const back = await readAnswer(await fetchApi('POST', `/v0/operate/psbt/${id}`, { token, body: { psbt } }))
    expect([back.status, back.code, look.mock.calls.length]).toEqual([503, 'payouts_stopped', 1])
    look.mockRestore()
    log.mockRestore()
  })
})
