import type { Blockchain, StorageTarget } from '../../../protocol/chains.ts'
import { unixSeconds } from '../../platform/clock.ts'
import { coinsJson } from '../../platform/http/coins-json.ts'
import type { EstimatedPrice } from './estimate-price.ts'

/** An estimate as JSON text. `readAt`, when the fee rate was read, in milliseconds. */
export function estimateJson(
  { amount, networkFee, storageFee, dustFee, transactions }: EstimatedPrice,
  about: { target: StorageTarget; blockchain: Blockchain; readAt: number },
): string {
  const { target, blockchain, readAt } = about
  const facts = { blockchain: target, paidIn: blockchain, transactions, readAt: unixSeconds(readAt) }
  return coinsJson(facts, { amount, networkFee, storageFee, ...(dustFee > 0n ? { dustFee } : {}) })
}
