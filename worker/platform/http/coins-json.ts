import { formatAmount } from '../../../protocol/amount.ts'

/**
 * The JSON text of one object: first `fields`; then `coins`, which are amounts in base units, written as exact decimal
 * numbers in the unit of the chain (such as BTC); then `raw`, whose values already are JSON text.
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

/** The JSON text of a list under its name, of entries that already are JSON text, and the cursor of the page after it. */
export function listJson(name: string, entries: readonly string[], cursor?: string): string {
  return coinsJson({}, {}, { [name]: `[${entries.join()}]`, ...(cursor && { cursor: JSON.stringify(cursor) }) })
}
