import { formatAmount } from '../../protocol/amount.ts'
import type { Blockchain, StorageTarget } from '../../protocol/chains.ts'
import type { EstimatedPrice } from './estimate-price.ts'

/** An estimate as JSON text: amounts are written digit for digit. `readAt`, when the fee rate was read, in milliseconds. */
export function estimateJson(
  { amount, networkFee, storageFee, dustFee, transactions }: EstimatedPrice,
  about: { target: StorageTarget; blockchain: Blockchain; readAt: number },
): string {
  const { target, blockchain, readAt } = about
  const facts = { blockchain: target, paidIn: blockchain, transactions, readAt: Math.floor(readAt / 1000) }
  const coins = Object.entries({ amount, networkFee, storageFee, ...(dustFee > 0n ? { dustFee } : {}) })
  return `${JSON.stringify(facts).slice(0, -1)},${coins.map(([name, units]) => `"${name}":${formatAmount(units)}`).join()}}`
}
