import { signal } from '@preact/signals'
import type { Blockchain } from '../../protocol/chains.ts'
import { api, type Schemas } from '../api/client.ts'

/** What coins are worth in other currencies; undefined until loaded. */
export const prices = signal<Schemas['Prices'] | undefined>(undefined)

const KEY = 'hookline-currency'
/** Chosen where no approximate amounts are wanted. */
export const NO_CURRENCY = 'none'

/** The currency that was chosen in this browser; empty where none was. */
const chosenCurrency = signal(readChosen())

export async function readPrices(): Promise<void> {
  try {
    prices.value = await api.GET('/v0/prices')
  } catch {
    // Amounts are shown in coins alone.
  }
}

/** The currencies that the service has a price in, in its order. */
export function currencies(): string[] {
  return [...new Set(Object.values(prices.value?.rates ?? {}).flatMap((rates) => Object.keys(rates)))]
}

/** The currency that amounts are shown in; undefined for amounts of the chain alone. */
export function shownCurrency(known: readonly string[] = currencies()): string | undefined {
  const chosen = chosenCurrency.value
  if (chosen === NO_CURRENCY) return undefined
  return known.includes(chosen) ? chosen : known[0]
}

/** What one coin of a chain is worth now. */
export function ratesNow(blockchain: Blockchain): Readonly<Record<string, number>> {
  return prices.value?.rates[blockchain] ?? {}
}

export function chooseCurrency(currency: string): void {
  chosenCurrency.value = currency
  try {
    localStorage.setItem(KEY, currency)
  } catch {
    // Without storage the choice lasts until the tab is closed.
  }
}

function readChosen(): string {
  try {
    return localStorage.getItem(KEY) ?? ''
  } catch {
    return ''
  }
}
