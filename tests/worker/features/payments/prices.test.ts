import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { followPrices } from '../../../../worker/features/payments/prices/follow-prices.ts'
import { parsePrices } from '../../../../worker/features/payments/prices/parse-prices.ts'
import { fetchApi } from '../../fetch-api.ts'

const NOW = 1_800_000_000_000
const MINUTE = 60_000
const DAY = 86_400_000
const DOCUMENT = { asOf: NOW / 1000 - 60, source: 'a.example', rates: { Bitcoin: { EUR: 80_000.5, USD: 90_000 } } }
const PRICE_URL = 'https://prices.example/rates.json'
const followed = { priceUrl: PRICE_URL }

let answer: () => Response
let warn: MockInstance<typeof console.warn>
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  await env.DB.exec(
    'UPDATE prices SET url = NULL, tried_at = 0, read_at = 0, as_of = NULL, source = NULL, rates = NULL',
  )
  answer = () => Response.json(DOCUMENT)
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answer())
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const read = async () => await (await fetchApi('GET', '/v0/prices')).json()
const NONE = { asOf: null, source: null, rates: {} }

describe('GET /v0/prices', () => {
  it('has what PRICE_URL answered, and what was before after a failure', async () => {
    expect(await read()).toEqual(NONE)
    await followPrices(env.DB, followed, NOW)
    expect(await read()).toEqual({ asOf: DOCUMENT.asOf, source: 'a.example', rates: DOCUMENT.rates })
    answer = () => new Response('<p>Sorry</p>', { status: 500 })
    await followPrices(env.DB, followed, NOW + 11 * MINUTE)
    expect(await read()).toMatchObject({ rates: DOCUMENT.rates })
    expect(warn).toHaveBeenCalledWith('prices_not_read', PRICE_URL, expect.stringContaining('500'))
  })

  it('leaves out what is older than 24 hours', async () => {
    await followPrices(env.DB, followed, NOW)
    vi.setSystemTime(DOCUMENT.asOf * 1000 + DAY - 1)
    expect(await read()).toMatchObject({ rates: DOCUMENT.rates })
    vi.setSystemTime(DOCUMENT.asOf * 1000 + DAY)
    expect(await read()).toEqual(NONE)
  })

  it('has nothing of a source that is followed no more', async () => {
    await followPrices(env.DB, followed, NOW)
    await followPrices(env.DB, { priceUrl: undefined }, NOW + MINUTE)
    expect(await read()).toEqual(NONE)
  })
})

describe('prices that are followed', () => {
  it('are asked for every ten minutes, and each minute after a failure', async () => {
    for (const minutes of [0, 1, 9, 10, 11]) await followPrices(env.DB, followed, NOW + minutes * MINUTE)
    expect(fetch).toHaveBeenCalledTimes(2)
    answer = () => new Response(null, { status: 404 })
    for (const minutes of [20, 21, 22]) await followPrices(env.DB, followed, NOW + minutes * MINUTE)
    expect(fetch).toHaveBeenCalledTimes(5)
  })

  it('are asked for once by runs that overlap', async () => {
    await Promise.all([1, 2, 3].map(() => followPrices(env.DB, followed, NOW)))
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('follow no redirect, and end after a limit of time', async () => {
    answer = () => Response.redirect('https://elsewhere.example/', 302)
    await followPrices(env.DB, followed, NOW)
    const [, init] = vi.mocked(fetch).mock.calls[0] ?? []
    expect(init).toMatchObject({ redirect: 'manual', signal: expect.any(AbortSignal) })
    expect(fetch).toHaveBeenCalledTimes(1)
    expect(await read()).toEqual(NONE)
  })

  it('are not read beyond 32 KiB', async () => {
    let pulled = 0
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          pulled++
          controller.enqueue(new Uint8Array(8192).fill(32))
        },
      })
    answer = () => new Response(endless())
    await followPrices(env.DB, followed, NOW)
    expect(await read()).toEqual(NONE)
    expect(pulled).toBeLessThan(10)
  })
})

describe('a document of prices', () => {
  const parse = (change: object) => () => parsePrices({ ...DOCUMENT, ...change }, NOW)

  it.each([
    ['no time', { asOf: 'now' }],
    ['a time in the future', { asOf: NOW / 1000 + 301 }],
    ['a time of a day ago', { asOf: (NOW - DAY) / 1000 }],
    ['a long source', { source: 'a'.repeat(101) }],
    ['rates that are a list', { rates: [] }],
    ['no chain of ours', { rates: { Litecoin: { EUR: 1 } } }],
    ['no currency', { rates: { Bitcoin: {} } }],
    ['a name that is no code of a currency', { rates: { Bitcoin: { euro: 1 } } }],
    ['text as a number', { rates: { Bitcoin: { EUR: '80000' } } }],
    ['a negative number', { rates: { Bitcoin: { EUR: -1 } } }],
    ['a number beyond all prices', { rates: { Bitcoin: { EUR: 1e300 } } }],
    ['too many currencies', { rates: { Bitcoin: Object.fromEntries(codes(21).map((code) => [code, 1])) } }],
  ])('is refused with %s', (_, change) => {
    expect(parse(change)).toThrow(Error)
  })

  it('gives positive numbers of known chains, or is refused, whatever it holds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('Bitcoin', 'Dogecoin', '__proto__'), fc.jsonValue()), (rates) => {
        try {
          const parsed = parsePrices({ ...DOCUMENT, rates }, NOW)
          for (const rate of Object.values(parsed.rates).flatMap((one) => Object.values(one))) {
            expect(rate).toBeGreaterThan(0)
          }
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
        }
      }),
    )
  })
})

function codes(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `A${String.fromCharCode(65 + (index % 26))}B`)
}
