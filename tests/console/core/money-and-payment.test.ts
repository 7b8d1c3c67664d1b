import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isShort, parseJson } from '../../../client/http/parse-json.ts'
import { chainOfAddress } from '../../../console/core/address-kind.ts'
import { amountText, coinsText, plainAmount, unitsOf } from '../../../console/core/coins.ts'
import { groupAddress, paymentLink } from '../../../console/core/payment-link.ts'
import { minuteToAnnounce, viewPayment } from '../../../console/core/payment-state.ts'

const PAYMENT = {
  state: 'open',
  amount: 0.3628411,
  received: 0,
  credited: 0,
  confirmations: 3,
  createdAt: 1000,
  expiresAt: 4600,
  transactions: [],
}

describe('amounts', () => {
  it('console 36: shows eight decimals in groups and copies a plain number with a point', () => {
    expect(amountText(120_400_000_000n)).toBe('1,204.00000000')
    expect(plainAmount(120_400_000_000n)).toBe('1204.00000000')
    expect(coinsText(-2_000_000n, 'Nativecoin')).toBe('−0.02000000\u00a0NTC')
  })
  it('reads back every amount that it copies', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 21n }), (units) => unitsOf(plainAmount(units)) === units))
  })
  it('keeps an amount of the API to the last base unit where a double cannot hold it', () => {
    const text = '{"amount":140000000000.00000001,"id":7,"name":"a 12345678901234567890 b","list":[1.5]}'
    expect(parseJson(text, isShort)).toEqual({
      amount: '140000000000.00000001',
      id: 7,
      name: 'a 12345678901234567890 b',
      list: [1.5],
    })
  })
  it('leaves JSON of short numbers as it is, whatever its strings hold', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.integer())), (value) => {
        expect(parseJson(JSON.stringify(value), isShort)).toEqual(value)
      }),
    )
  })
})

describe('the link and the address', () => {
  it('console 22: keeps the address as it is, behind a scheme in lower case', () => {
    expect(paymentLink('Bitcoin', 'bcrt1qAbC', 107_800n)).toBe('bitcoin:bcrt1qAbC?amount=0.00107800')
  })
  it('console 23: groups the address without losing a character', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{1,90}$/), (address) => groupAddress(address).join('') === address),
    )
  })
  it('tells the chain of an address only where the text does', () => {
    expect(chainOfAddress('bc1q0f7zk3u9w2xh5ds8ler6mvc4tynj70pa3g6q2e')).toBe('Bitcoin')
    expect(chainOfAddress('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn')).toBeUndefined()
  })
})

describe('a payment', () => {
  const seen = { depth: 0, replaced: false, late: false }
  it('console 25: is seen and not paid while it has no depth, and open again when it is replaced', () => {
    const whole = { ...PAYMENT, received: 0.3628411, transactions: [seen] }
    expect(viewPayment(whole, 1100)).toMatchObject({ standing: 'seen', depth: 0, missing: 0n })
    const replaced = { ...PAYMENT, transactions: [{ ...seen, replaced: true }] }
    expect(viewPayment(replaced, 1100)).toMatchObject({ standing: 'open', replaced: true })
    expect(viewPayment({ ...whole, state: 'settled' }, 1100).standing).toBe('paid')
  })
  it('console 26: asks for exactly what is missing after an underpayment', () => {
    const view = viewPayment({ ...PAYMENT, received: 0.3, transactions: [seen] }, 1100)
    expect(view).toMatchObject({ standing: 'part', missing: 6_284_110n })
  })
  it('console 28: shows the time left in the last third only, and announces five minutes and one', () => {
    expect(viewPayment(PAYMENT, 3399).showLeft).toBe(false)
    expect(viewPayment(PAYMENT, 3400)).toMatchObject({ showLeft: true, left: 1200 })
    expect(minuteToAnnounce(301, 300)).toBe(5)
    expect(minuteToAnnounce(61, 59)).toBe(1)
    expect(minuteToAnnounce(59, 58)).toBeUndefined()
  })
})
