import { env } from 'cloudflare:test'
import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { runStep } from '../../../../worker/agent/run-step.ts'
import { addressLabel, parseAddressLabel } from '../../../../worker/features/transactions/address-label.ts'
import { contextOf } from '../../agent-contexts.ts'
import { fetchApi } from '../../fetch-api.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { balanceOf } from './customer.ts'
import { askPayment, mergedItem, newUser, pricedItem, readAnswer } from './pay-for-items.ts'

const chain = useDevnet()
const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
vi.spyOn(console, 'error').mockImplementation(() => {})

describe('the label of an address', () => {
  it('says whose it is, and what is none of ours says nothing', () => {
    const id = fc.stringMatching(/^[\w-]{1,64}$/)
    const label = fc.record({
      kind: fc.constantFrom('request' as const, 'deposit' as const),
      userId: id,
      requestId: fc.option(id, { nil: undefined }),
    })
    fc.assert(
      fc.property(label, (one) => {
        expect(parseAddressLabel(addressLabel(one))).toEqual(one)
      }),
    )
    for (const other of [
      undefined,
      '',
      'hookline',
      'hookline:deposit:a',
      'hookline:other:a:b',
      'x hookline:deposit:a:',
    ])
      expect(parseAddressLabel(other)).toBeUndefined()
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseAddressLabel(` ${text}`)).toBeUndefined()
      }),
    )
  })
})

describe('money at an address that the database has lost', () => {
  for (const blockchain of ['Bitcoin', 'Dogecoin'] as const) {
    it(`becomes balance of the account that its label names: ${blockchain}`, async () => {
      const user = await newUser()
      await chain.work(blockchain)
      const { address } = await readAnswer(await user.api.send('GET', `/payment/${blockchain}`))
      await env.DB.prepare('DELETE FROM addresses WHERE address = ?').bind(address).run()
      chain.pay(blockchain, address, '0.25')
      await chain.confirm(blockchain, 6)
      expect(await balanceOf(user.api, blockchain)).toBe(0.25)
      expect(warn).toHaveBeenCalledWith('address_recovered', blockchain, address, user.userId)
      // Later money, too.
      chain.pay(blockchain, address, '0.5')
      await chain.confirm(blockchain, 6)
      expect(await balanceOf(user.api, blockchain)).toBe(0.75)
    })
  }

  it('becomes balance where it was for a request that is gone', async () => {
    const user = await newUser()
    await chain.work('Bitcoin')
    const { address, amount } = await pricedItem(user.api, 'Bitcoin')
    const of = `SELECT id FROM payment_requests WHERE address = ?`
    await env.DB.batch([
      env.DB.prepare(`DELETE FROM payment_request_items WHERE request_id IN (${of})`).bind(address),
      env.DB.prepare('DELETE FROM payment_requests WHERE address = ?').bind(address),
      env.DB.prepare('DELETE FROM addresses WHERE address = ?').bind(address),
    ])
    chain.pay('Bitcoin', address, amount)
    await chain.confirm('Bitcoin', 3)
    expect(await balanceOf(user.api)).toBe(amount)
  })

  it('is a record for the operator where the account is gone, too, which closing ends', async () => {
    await chain.work('Bitcoin')
    const label = 'hookline:deposit:00000000-0000-4000-8000-000000000000:'
    const address = chain.callWallet('Bitcoin', 'getnewaddress', [label])
    chain.pay('Bitcoin', address, '0.1')
    await chain.confirm('Bitcoin', 3)
    const { token } = await signIn('admin')
    const list = async () => (await readAnswer(await fetchApi('GET', '/v0/operate/failed-records', { token }))).records
    const name = `Bitcoin-owner-${address}`
    expect(await list()).toMatchObject([
      { id: name, reason: expect.stringContaining('does not have'), actions: ['close'] },
    ])
    const body = { action: 'close', reason: 'credited by hand' }
    expect((await fetchApi('POST', `/v0/operate/failed-records/${name}`, { token, body })).status).toBe(200)
    expect(await list()).toEqual([])
  })

  it('is nobody’s where the label is none of ours', async () => {
    await chain.work('Bitcoin')
    const address = chain.callWallet('Bitcoin', 'getnewaddress', ['savings'])
    chain.pay('Bitcoin', address, '0.1')
    await chain.confirm('Bitcoin', 3)
    expect(await env.DB.prepare('SELECT 1 FROM addresses WHERE address = ?').bind(address).first()).toBeNull()
  })
})

describe('money at hundreds of addresses that the database has lost', () => {
  it('becomes balance, some at each step, though the accounts of others are gone', async () => {
    const user = await newUser()
    await chain.work('Bitcoin')
    const gone = '00000000-0000-4000-8000-000000000001'
    const labels = [...new Array<string>(101).fill(gone), ...new Array<string>(101).fill(user.userId)]
    for (const owner of labels) {
      const address = chain.callWallet('Bitcoin', 'getnewaddress', [`hookline:deposit:${owner}:`])
      chain.pay('Bitcoin', address, '0.001')
    }
    await chain.confirm('Bitcoin', 3)
    expect(await balanceOf(user.api)).toBe(0.101)
    const owners = await env.DB.prepare("SELECT COUNT(*) AS n FROM failed_records WHERE kind = 'owner'").first('n')
    expect(owners).toBe(101)
    await env.DB.prepare("DELETE FROM failed_records WHERE kind = 'owner'").run()
  })

  it('is looked up before a request expires, which some of it may be for', async () => {
    const user = await newUser()
    await chain.work('Bitcoin')
    const { address } = await askPayment(user.api, [await mergedItem(user.api, 'Bitcoin')], 'Bitcoin')
    for (let lost = 0; lost < 101; lost++) {
      const label = addressLabel({ kind: 'deposit', userId: user.userId, requestId: undefined })
      chain.pay('Bitcoin', chain.callWallet('Bitcoin', 'getnewaddress', [label]), '0.001')
    }
    chain.mine('Bitcoin')
    await env.DB.prepare('UPDATE payment_requests SET expires_at = 1 WHERE address = ?').bind(address).run()
    const step = async () => {
      await runStep({ ...contextOf(), numbers: chain.numbersOf('Bitcoin') })
      return await env.DB.prepare('SELECT state FROM payment_requests WHERE address = ?').bind(address).first('state')
    }
    expect([await step(), await step()]).toEqual(['open', 'expired'])
  })
})
