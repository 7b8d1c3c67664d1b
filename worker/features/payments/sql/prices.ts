import { LIFETIMES } from '../../../../contract/lifetimes.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import type { Prices, Rates } from '../prices/parse-prices.ts'

/** The row of the prices; times in milliseconds. */
export interface StoredPrices {
  url: string | null
  /** When `PRICE_URL` was last asked, and when it last answered with prices. */
  triedAt: number
  readAt: number
  asOf: number | null
  source: string | null
  rates: string | null
}

/** @throws {Error} where the row is missing, which the migration made. */
export async function selectPrices(db: D1Database): Promise<StoredPrices> {
  const row = await db
    .prepare('SELECT url, tried_at AS triedAt, read_at AS readAt, as_of AS asOf, source, rates FROM prices')
    .first<StoredPrices>()
  if (!row) throw new Error('The row of prices is missing.')
  return row
}

/** Whether this call may ask for prices now; `false` if another one does. */
export async function claimPriceLook(db: D1Database, lastTry: number, now: number): Promise<boolean> {
  const { meta } = await db.prepare('UPDATE prices SET tried_at = ? WHERE tried_at = ?').bind(now, lastTry).run()
  return meta.changes === 1
}

export async function updatePrices(db: D1Database, url: string, { asOf, source, rates }: Prices, now: number) {
  await db
    .prepare('UPDATE prices SET url = ?, read_at = ?, as_of = ?, source = ?, rates = ?')
    .bind(url, now, asOf, source, JSON.stringify(rates))
    .run()
}

/** Where no prices are followed, or those of another address. */
export async function clearPrices(db: D1Database): Promise<void> {
  await db.prepare('UPDATE prices SET url = NULL, read_at = 0, as_of = NULL, source = NULL, rates = NULL').run()
}

/** In SQL, what one coin of `chain` is worth by currency, JSON; NULL where the prices are older than `since` (ms). */
export const ratesOf = (chain: string, since: string) =>
  `(SELECT json_extract(rates, '$.' || ${chain}) FROM prices WHERE as_of > ${since})`

/** The least `as_of` of prices that count at `now`, both in milliseconds. */
export const freshSince = (now: number) => now - LIFETIMES.priceAge * 1000

/** What one coin was worth, as {@link ratesOf} stored it. */
export function readRates(stored: string | null): Rates[Blockchain] {
  const rates: Rates[Blockchain] = stored === null ? undefined : JSON.parse(stored)
  return rates
}
