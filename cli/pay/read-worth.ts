import { approximateText } from '../../client/approximate-text.ts'
import type { Client } from '../../client/create-client.ts'
import { HooklineError } from '../../client/http/api-error.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'

/** What an amount in base units is worth, to be read behind it: ` (about EUR 0.42)`; empty where that is not known. */
export type Worth = (units: bigint) => string

/**
 * What coins of a chain are worth in the currency of --currency, else in the first that the service has a price in. A
 * service without prices stops nothing.
 * @throws {CommandError} 2 for what is no code of a currency
 */
export async function readWorth(
  { line, output, signal }: Pick<Context, 'line' | 'output' | 'signal'>,
  client: Client,
  chain: string,
): Promise<Worth> {
  const wanted = line.value('currency')?.toUpperCase()
  if (wanted !== undefined && !/^[A-Z]{3}$/.test(wanted)) {
    throw usageError('--currency takes a code of three letters, such as EUR.')
  }
  const rates = await readRates(client, chain, signal)
  const [currency, rate] = wanted === undefined ? (Object.entries(rates)[0] ?? []) : [wanted, rates[wanted]]
  if (wanted !== undefined && rate === undefined) output.note(`This service has no price in ${wanted}.`)
  if (currency === undefined || rate === undefined) return () => ''
  return (units) => (units > 0n ? ` (${approximateText(units, rate, currency)})` : '')
}

async function readRates(client: Client, chain: string, signal: AbortSignal): Promise<Record<string, number>> {
  try {
    return (await client.prices({ signal })).rates[chain] ?? {}
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof HooklineError) return {}
    throw error
  }
}
