import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { createDevnet } from '../../../../devnet/create-devnet.ts'
import { callMethod } from '../../../../devnet/rpc/handle-rpc.ts'
import { fetchApi } from '../../fetch-api.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { askWithdrawal, listWithdrawals, payDeposit } from '../payments/customer.ts'
import { newUser, readAnswer } from '../payments/pay-for-items.ts'

const chain = useDevnet()
const offline = createDevnet({ chains: ['Dogecoin'], seed: 'offline' }).node('Dogecoin')
const coldAddress = String(callMethod(offline, 'getnewaddress', []))

beforeAll(() => {
  chain.callWallet('Dogecoin', 'importaddress', [coldAddress, 'cold', false])
})

describe('/v0/operate/psbt, on a chain whose node knows no PSBTs', () => {
  it('lists raw transactions with what they spend to operators, and takes them back', async () => {
    const { userId, api } = await newUser()
    await payDeposit(chain, api, '50', 'Dogecoin')
    chain.pay('Dogecoin', coldAddress, '20')
    chain.mine('Dogecoin', 7)
    await chain.work('Dogecoin', { coldAddress })
    const address = String(chain.call('Dogecoin', 'getnewaddress'))
    const { id } = await askWithdrawal(api, { blockchain: 'Dogecoin', address, amount: '10' })
    await env.DB.prepare('UPDATE withdrawals SET cold = 1 WHERE id = ?').bind(id).run()
    await chain.work('Dogecoin', { coldAddress })
    const { token } = await signIn('admin')
    const { psbts } = await readAnswer(await fetchApi('GET', '/v0/operate/psbt', { token }))
    expect(psbts).toEqual([
      {
        ...{ id, account: userId, blockchain: 'Dogecoin', address, state: 'waiting', amount: 10, txid: null },
        ...{ coin: expect.stringMatching(/^[0-9a-f]{64}:\d$/), since: expect.any(Number), fee: expect.any(Number) },
        hex: expect.stringMatching(/^01000000[0-9a-f]+$/),
        prevtxs: [
          {
            ...{ txid: expect.stringMatching(/^[0-9a-f]{64}$/), vout: expect.any(Number), amount: '20' },
            scriptPubKey: expect.stringMatching(/^76a914[0-9a-f]{40}88ac$/),
          },
        ],
      },
    ])
    const [{ hex, prevtxs, fee }] = psbts as [Record<string, unknown>]
    const back = async (given: Record<string, unknown>) =>
      await readAnswer(await fetchApi('POST', `/v0/operate/psbt/${id}`, { token, body: given }))
    for (const wrong of [{}, { psbt: hex }, { hex }, { hex: 7 }, { hex: 'cHNidP8BAHEC' }])
      expect(await back(wrong)).toMatchObject({ status: 400, code: 'invalid_field' })
    const signed = Object(callMethod(offline, 'signrawtransaction', [hex, prevtxs])).hex
    const returned = await back({ hex: signed })
    expect(returned).toMatchObject({ status: 202, id, fee, address, amount: 10 })
    expect(returned.txid).toMatch(/^[0-9a-f]{64}$/)
    await chain.work('Dogecoin', { coldAddress })
    const withdrawals = await listWithdrawals(api)
    expect(withdrawals).toMatchObject([{ id, state: 'sent', txid: returned.txid }])
    expect(chain.call('Dogecoin', 'getrawmempool')).toContain(returned.txid)
  })
})
