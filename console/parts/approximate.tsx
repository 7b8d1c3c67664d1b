import { approximateWorth } from '../../client/approximate-text.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { momentText } from '../core/time-text.ts'
import { chooseCurrency, currencies, NO_CURRENCY, prices, ratesNow, shownCurrency } from '../shell/prices.ts'
import { texts } from '../texts/index.ts'
import { language } from '../texts/language.ts'

/** What an amount is worth in the chosen currency; nothing where that is not known. `rates` are those of another day. */
export function Approximate(props: {
  units: bigint
  chain: Blockchain
  rates?: Readonly<Record<string, number>> | undefined
}) {
  const { units, chain, rates = ratesNow(chain) } = props
  const currency = shownCurrency()
  const rate = currency === undefined ? undefined : rates[currency]
  if (currency === undefined || rate === undefined || units <= 0n) return null
  const { less, worth } = approximateWorth(units, rate, currency, language)
  return <span class="approximate">{less ? texts.prices.lessThan(worth) : texts.prices.about(worth)}</span>
}

/** Chooses the currency of approximate amounts, and says where they are from; nothing where the service has no prices. */
export function CurrencyChoice() {
  const known = currencies()
  if (known.length === 0) return null
  const { asOf, source } = prices.value ?? {}
  return (
    <p class="row small quiet currency">
      <label class="row tight">
        {texts.prices.also}
        <select
          class="input sm"
          value={shownCurrency(known) ?? NO_CURRENCY}
          onChange={(event) => chooseCurrency(event.currentTarget.value)}
        >
          {known.map((currency) => (
            <option key={currency}>{currency}</option>
          ))}
          <option value={NO_CURRENCY}>{texts.prices.none}</option>
        </select>
      </label>
      <span>{texts.prices.from(source ?? texts.prices.operator, momentText(asOf ?? 0))}</span>
    </p>
  )
}
