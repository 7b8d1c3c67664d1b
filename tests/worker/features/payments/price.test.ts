import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHAINS } from '../../../../protocol/chains.ts'
import { type PriceTerms, price } from '../../../../worker/features/payments/price.ts'

const TERMS: PriceTerms = { feeRate: 1_000n, pricePerKib: 1_000n, txChains: 8, facts: CHAINS.Bitcoin }

const aPrice = fc.record({
  items: fc.array(fc.record({ storedSize: fc.integer({ min: 1, max: 2 ** 40 }), transactions: fc.nat(15_000) }), {
    minLength: 1,
    maxLength: 5,
  }),
  terms: fc.record({
    feeRate: fc.bigInt(0n, 10n ** 9n),
    pricePerKib: fc.bigInt(0n, 10n ** 12n),
    txChains: fc.integer({ min: 1, max: 100 }),
    facts: fc.constantFrom(...Object.values(CHAINS)),
  }),
})

describe('the price of storing items', () => {
  it('covers what a real node asks for one transaction of 80 bytes: 202 vbytes, 283 without segwit', () => {
    const free = { feeRate: 1_000n, pricePerKib: 0n, txChains: 1 }
    const one = [{ storedSize: 80, transactions: 1 }]
    expect(price(one, { ...free, facts: { ...CHAINS.Bitcoin, dust: 0n } }).amount).toBeGreaterThanOrEqual(202n)
    expect(price(one, { ...free, facts: { ...CHAINS.Dogecoin, dust: 0n } }).amount).toBeGreaterThanOrEqual(283n)
  })

  it('asks the price per KiB for every KiB begun, of all items together', () => {
    const ipfs = (storedSize: number) => ({ storedSize, transactions: 0 })
    const terms = { ...TERMS, facts: CHAINS.Nativecoin }
    expect(price([ipfs(1024)], terms)).toEqual({ amount: 1_000n, networkFee: 0n, storageFee: 1_000n })
    expect(price([ipfs(1025)], terms).amount).toBe(2_000n)
    expect(price([ipfs(1000), ipfs(1000)], terms).amount).toBe(2_000n)
  })

  it('is never an amount that the network would not let through', () => {
    const terms = { ...TERMS, pricePerKib: 1n, facts: CHAINS.Dogecoin }
    expect(price([{ storedSize: 10, transactions: 0 }], terms).amount).toBe(CHAINS.Dogecoin.dust)
  })

  it('is made so: 15 % over the data, the overhead of each transaction and the opening of each tx chain, a unit for each to round up', () => {
    const small = { storedSize: 1_025, transactions: 13 }
    const large = { storedSize: 8_000, transactions: 100 }
    const facts = (blockchain: 'Bitcoin' | 'Dogecoin') => ({ ...CHAINS[blockchain], dust: 0n })
    expect(price([{ storedSize: 80, transactions: 1 }], TERMS)).toEqual({
      ...{ amount: 1_527n, networkFee: 527n, storageFee: 1_000n },
    })
    const terms = { ...TERMS, feeRate: 7_001n, pricePerKib: 11n }
    expect(price([large, small], { ...terms, facts: facts('Bitcoin') })).toEqual({
      ...{ amount: 206_209n, networkFee: 206_110n, storageFee: 99n },
    })
    expect(price([large, small], { ...terms, facts: facts('Dogecoin') })).toEqual({
      ...{ amount: 287_131n, networkFee: 287_032n, storageFee: 99n },
    })
  })

  it('is exact where numbers are not', () => {
    const terms = { ...TERMS, pricePerKib: 9_007_199_254_740_993n }
    expect(price([{ storedSize: 2048, transactions: 0 }], terms).amount).toBe(18_014_398_509_481_986n)
  })

  it('is the sum of its parts or the least payable amount, whatever goes in', () => {
    fc.assert(
      fc.property(aPrice, ({ items, terms }) => {
        const { amount, networkFee, storageFee } = price(items, terms)
        const { dust } = terms.facts
        expect(amount).toBeGreaterThanOrEqual(dust)
        if (amount > dust) expect(amount).toBe(networkFee + storageFee)
      }),
    )
  })

  it('never falls when anything that goes into it grows', () => {
    fc.assert(
      fc.property(aPrice, fc.integer({ min: 1, max: 10_000 }), ({ items, terms }, more) => {
        const [first = { storedSize: 1, transactions: 0 }, ...rest] = items
        const { amount } = price([first, ...rest], terms)
        const grown = [
          price([{ ...first, storedSize: first.storedSize + more }, ...rest], terms),
          price([{ ...first, transactions: first.transactions + more }, ...rest], terms),
          price([first, ...rest, { storedSize: more, transactions: 0 }], terms),
          price([first, ...rest], { ...terms, feeRate: terms.feeRate + BigInt(more) }),
          price([first, ...rest], { ...terms, pricePerKib: terms.pricePerKib + BigInt(more) }),
          price([first, ...rest], { ...terms, txChains: terms.txChains + more }),
        ]
        for (const other of grown) expect(other.amount).toBeGreaterThanOrEqual(amount)
      }),
    )
  })

  it('grows evenly: two transactions cost less than twice one, as the split is paid once', () => {
    const one = price([{ storedSize: 80, transactions: 1 }], TERMS).networkFee
    const two = price([{ storedSize: 160, transactions: 2 }], TERMS).networkFee
    expect(two).toBeLessThanOrEqual(2n * one)
  })
})
