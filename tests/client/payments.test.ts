import { describe, expect, it } from 'vitest'
import { createClient } from '../../client/index.ts'

const REQUEST = {
  message: 'Pay.',
  amount: 0.003,
  networkFee: 0.003,
  storageFee: 0,
  received: 0.001,
  address: 'bc1qhonest',
  uri: 'bitcoin:bc1qhonest?amount=0.002',
  expiresAt: 2_000_000_000,
  confirmations: 1,
}

/** A service with this payment request. */
function asking(request: object) {
  const fetch = async () => Response.json(request, { status: 402 })
  const client = createClient({ api: 'https://api.test', key: 'hk_test', fetch })
  return client.payments.request({ blockchain: 'Bitcoin', ids: ['i1'] })
}

describe('a payment request', () => {
  it.each([
    ['with what is left to pay', {}],
    ['without an amount, where nothing is left', { received: 0.003, uri: 'bitcoin:bc1qhonest' }],
  ])('whose link is that of its address, %s, is read', async (_, change) => {
    expect(await asking({ ...REQUEST, ...change })).toMatchObject({ paid: false, request: { address: 'bc1qhonest' } })
  })

  it.each([
    ['pays another address', { uri: 'bitcoin:bc1qthief?amount=0.002' }],
    ['pays more', { uri: 'bitcoin:bc1qhonest?amount=0.02' }],
    ['names another way to pay', { uri: 'bitcoin:bc1qhonest?amount=0.002&lightning=lnbc1thief' }],
    ['is no payment link', { uri: 'https://thief.example' }],
    ['pays more, for less than nothing has come', { received: -1, uri: 'bitcoin:bc1qhonest?amount=1.003' }],
  ])('whose link %s is refused', async (_, change) => {
    await expect(asking({ ...REQUEST, ...change })).rejects.toMatchObject({ code: 'unexpected_answer' })
  })
})

describe('a service by plain http', () => {
  const api = 'http://api.test'
  const fetch = async () => Response.json({ targets: [] })

  it('on another machine gets no key and no password', async () => {
    const client = createClient({ api, key: 'hk_test', fetch })
    await expect(client.request({ method: 'GET', path: '/v0/user' })).rejects.toMatchObject({ code: 'insecure_api' })
    const signIn = createClient({ api, fetch })
    await expect(signIn.login('a@example.com', 'password')).rejects.toMatchObject({ code: 'insecure_api' })
  })

  it('gets them where that is meant, and what is no secret always', async () => {
    const client = createClient({ api, key: 'hk_test', fetch, allowHttp: true })
    expect(await client.request({ method: 'GET', path: '/v0/user' })).toMatchObject({ status: 200 })
    expect(await createClient({ api, fetch }).request({ method: 'GET', path: '/v0/targets' })).toMatchObject({
      status: 200,
    })
  })
})
