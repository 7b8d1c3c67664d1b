import { type Blockchain, CHAINS } from '../../protocol/chains.ts'
import { changeScriptLike, feeFor, transactionVsize } from '../../protocol/transaction-size.ts'

/** Inputs that a withdrawal is priced with: mostly one is enough, and then the rest is there for a bump. */
const INPUTS = 2
/** Bytes of the longest script that an address stands for: P2WSH and P2TR. */
const LONGEST_SCRIPT = 34

/**
 * What a withdrawal costs beside its amount, in base units, at a fee rate in base units per 1,000 vbytes: the network's
 * fee of a transaction as it will be, whatever address it pays. It is debited so, whatever it turns out to be. Pure.
 */
export function withdrawalFee(blockchain: Blockchain, feeRate: bigint): bigint {
  const change = changeScriptLike(CHAINS[blockchain].segwit)
  const spent = new Array<string>(INPUTS).fill(change)
  return feeFor(transactionVsize(spent, [LONGEST_SCRIPT, change.length / 2]), feeRate)
}
