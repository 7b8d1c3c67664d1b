import { formatAmount } from '../../../protocol/amount.ts'

/**
 * An object as JSON text: `fields`, then `coins`, base units that are written as exact decimal numbers of coins, then
 * `raw`, values that are JSON text already.
 */
export function coinsJson(
  fields: Readonly<Record<string, unknown>>,
  coins: Readonly<Record<string, bigint>>,
  raw: Readonly<Record<string, string>> = {},
): string {
  const parts = [
    ...Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]),
    ...Object.entries(coins).map(([name, units]) => [name, formatAmount(units)]),
    ...Object.entries(raw),
  ]
  return `{${parts.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`
}
