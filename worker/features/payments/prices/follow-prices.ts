import { LIFETIMES } from '../../../../contract/lifetimes.ts'
import type { Config } from '../../../platform/config/config.ts'
import { readCapped } from '../../../platform/flow/read-capped.ts'
import { claimPriceLook, clearPrices, selectPrices, updatePrices } from '../sql/prices.ts'
import { type Prices, parsePrices } from './parse-prices.ts'

/** For how long (ms) prices are kept before `PRICE_URL` is asked again. A failure is tried again with the next run. */
const KEPT_MS = LIFETIMES.prices * 1000
/** Limits of an answer: milliseconds, and bytes. */
const TIMEOUT_MS = 5_000
const MAX_BYTES = 32 * 1024

/**
 * Asks `PRICE_URL` for prices where they are due. An unusable answer leaves the last prices, which end by their age.
 * `now` in ms.
 */
export async function followPrices(db: D1Database, { priceUrl }: Pick<Config, 'priceUrl'>, now: number): Promise<void> {
  const known = await selectPrices(db)
  if (known.url !== null && known.url !== priceUrl) await clearPrices(db)
  if (priceUrl === undefined) return
  if (known.url === priceUrl && now < known.readAt + KEPT_MS) return
  if (!(await claimPriceLook(db, known.triedAt, now))) return
  try {
    await updatePrices(db, priceUrl, await fetchPrices(priceUrl, now), now)
  } catch (error) {
    console.warn('prices_not_read', priceUrl, error instanceof Error ? error.message : 'It cannot be read.')
  }
}

async function fetchPrices(url: string, now: number): Promise<Prices> {
  const response = await fetch(url, {
    headers: { Accept: 'application/json' },
    // The operator has named one address; who answers there names no other.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`It was answered with ${response.status}.`)
  }
  const bytes = await readCapped(response, MAX_BYTES, () => new Error(`It has more than ${MAX_BYTES} bytes.`))
  return parsePrices(JSON.parse(new TextDecoder().decode(bytes)), now)
}
