import { inWords, LIFETIMES } from '../../../../contract/lifetimes.ts'
import { BLOCKCHAINS, type Blockchain } from '../../../../protocol/chains.ts'
import { isRecord } from '../../../platform/http/is-record.ts'

/** What one coin is worth in each currency (ISO 4217), by chain. */
export type Rates = Partial<Record<Blockchain, Record<string, number>>>

export interface Prices {
  /** Milliseconds since 1970. */
  asOf: number
  source: string | null
  rates: Rates
}

/** Prices that are older (ms) are of no use. */
const MAX_PRICE_AGE = LIFETIMES.priceAge * 1000
/** How far (ms) the clock of who states prices may be ahead. */
const MAX_AHEAD = 300_000
const MAX_CURRENCIES = 20
const MAX_SOURCE = 100
/** What one coin may be worth: beyond that its digits are a mistake. */
const RATE = { least: 1e-9, most: 1e9 }

/**
 * The prices of a document as `PRICE_URL` answers it (docs/operate/public.md): `{asOf, source?, rates: {<chain>: {<currency>:
 * number}}}`. Chains that are not of this service are passed over. `now` in ms.
 * @throws {Error} saying what is wrong with it, such as prices that are too old.
 */
export function parsePrices(document: unknown, now: number): Prices {
  if (!isRecord(document)) throw new Error('It is no JSON object.')
  const { asOf, source = null, rates } = document
  if (typeof asOf !== 'number' || !Number.isSafeInteger(asOf)) throw new Error('Its "asOf" is no time in Unix seconds.')
  const at = asOf * 1000
  if (at > now + MAX_AHEAD) throw new Error('Its "asOf" is in the future.')
  if (at <= now - MAX_PRICE_AGE) throw new Error(`Its prices are older than ${inWords(LIFETIMES.priceAge)}.`)
  if (source !== null && (typeof source !== 'string' || source.length > MAX_SOURCE)) {
    throw new Error(`Its "source" is no text of at most ${MAX_SOURCE} characters.`)
  }
  if (!isRecord(rates)) throw new Error('It has no "rates".')
  const read: Rates = {}
  for (const blockchain of BLOCKCHAINS) {
    const ofChain = rates[blockchain]
    if (ofChain !== undefined) read[blockchain] = parseRates(blockchain, ofChain)
  }
  if (Object.keys(read).length === 0) throw new Error('It has a price of no chain of this service.')
  return { asOf: at, source, rates: read }
}

function parseRates(blockchain: Blockchain, given: unknown): Record<string, number> {
  if (!isRecord(given)) throw new Error(`The rates of ${blockchain} are no JSON object.`)
  const entries = Object.entries(given)
  if (entries.length === 0 || entries.length > MAX_CURRENCIES) {
    throw new Error(`${blockchain} does not have 1 to ${MAX_CURRENCIES} currencies.`)
  }
  return Object.fromEntries(
    entries.map(([currency, rate]) => {
      if (!/^[A-Z]{3}$/.test(currency)) throw new Error(`${blockchain} has a currency that is no code of ISO 4217.`)
      if (typeof rate !== 'number' || !(rate >= RATE.least && rate <= RATE.most)) {
        throw new Error(`The rate of ${blockchain} in ${currency} is no number from ${RATE.least} to ${RATE.most}.`)
      }
      return [currency, rate]
    }),
  )
}
