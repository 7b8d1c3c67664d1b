import { formatAmount } from '../../../../protocol/amount.ts'
import { type Blockchain, CHAINS } from '../../../../protocol/chains.ts'
import { changeScriptLike, feeFor, transactionVsize } from '../../../../protocol/transaction-size.ts'
import { AppError } from '../../../platform/http/errors.ts'

/** Bytes of the longest script that an address stands for: P2WSH and P2TR. */
const LONGEST_SCRIPT = 34

/**
 * What a withdrawal costs beside its amount, in base units, at a fee rate in base units per 1,000 vbytes: the network's
 * fee of a transaction of as many inputs as one may have, for any address. It is debited so, no matter what it turns
 * out to be: where fewer are enough, the rest is there for a bump. Pure.
 */
export function withdrawalFee(blockchain: Blockchain, feeRate: bigint, maxInputs: number): bigint {
  const change = changeScriptLike(CHAINS[blockchain].segwit)
  const spent = new Array<string>(maxInputs).fill(change)
  return feeFor(transactionVsize(spent, [LONGEST_SCRIPT, change.length / 2]), feeRate)
}

/** Refuses a fee above the most that was agreed to; both in base units. @throws {AppError} 409 with both numbers. */
export function requireFee(fee: bigint, maxFee: bigint | undefined): void {
  if (maxFee === undefined || fee <= maxFee) return
  const message = `The network's fee is ${formatAmount(fee)} now, more than the ${formatAmount(maxFee)} of maxFee.`
  const details = { fee: Number(formatAmount(fee)), maxFee: Number(formatAmount(maxFee)) }
  throw new AppError(409, 'fee_too_high', message, { details })
}
