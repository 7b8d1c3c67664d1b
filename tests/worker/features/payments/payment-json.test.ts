import { describe, expect, it } from 'vitest'
import { paymentJson } from '../../../../worker/features/payments/payment-json.ts'

const REQUEST = {
  id: 'id',
  userId: 'user',
  target: 'Dogecoin' as const,
  blockchain: 'Dogecoin' as const,
  address: 'DAddress',
  itemIds: ['a'.repeat(24)],
  amount: 9_007_199_254_740_993n,
  state: 'open' as const,
  feeRate: 1n,
  parts: { networkFee: 0n, storageFee: 1n },
  createdAt: 0,
  expiresAt: 1_800_000_000_500,
}

describe('the body of a 402', () => {
  it('writes amounts digit for digit, beyond what a double holds', () => {
    const text = paymentJson(REQUEST, 0n, 6)
    expect(text).toContain('"amount":90071992.54740993')
    expect(text).toContain('"received":0')
    expect(JSON.parse(text)).toMatchObject({ address: 'DAddress', confirmations: 6, expiresAt: 1_800_000_000 })
  })

  it('asks in its link for what is left', () => {
    const { uri } = JSON.parse(paymentJson({ ...REQUEST, amount: 300_000_000n }, 100_000_000n, 6))
    expect(uri).toBe('dogecoin:DAddress?amount=2')
  })

  it('asks for nothing more once all of it was seen', () => {
    const { uri, message } = JSON.parse(paymentJson({ ...REQUEST, amount: 300_000_000n }, 300_000_000n, 6))
    expect(uri).toBe('dogecoin:DAddress')
    expect(message).toMatch(/^Dogecoin is waiting for a transfer of 3 to DAddress: it was seen/)
  })

  it('asks for as little as one base unit', () => {
    const { uri, message } = JSON.parse(paymentJson({ ...REQUEST, amount: 300_000_000n }, 299_999_999n, 6))
    expect(uri).toBe('dogecoin:DAddress?amount=0.00000001')
    expect(message).toBe('Dogecoin is waiting for a transfer of 0.00000001 to DAddress.')
  })

  it('says that IPFS waits, and which coin it is paid in', () => {
    const { message } = JSON.parse(paymentJson({ ...REQUEST, target: 'IPFS', amount: 300_000_000n }, 0n, 6))
    expect(message).toBe('IPFS is waiting for a transfer of 3 Dogecoin to DAddress.')
  })
})
