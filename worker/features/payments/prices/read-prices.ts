import type { Prices } from '../../../../contract/prices.ts'
import type { Output } from '../../../../contract/schema.ts'
import { unixSeconds } from '../../../platform/clock.ts'
import { freshSince, selectPrices } from '../sql/prices.ts'

/** The prices as clients get them: none where those that are known are older than a day. `now` in ms. */
export async function readPrices(db: D1Database, now: number): Promise<Output<typeof Prices>> {
  const { asOf, source, rates } = await selectPrices(db)
  if (asOf === null || rates === null || asOf <= freshSince(now)) return { asOf: null, source: null, rates: {} }
  return { asOf: unixSeconds(asOf), source, rates: JSON.parse(rates) }
}
