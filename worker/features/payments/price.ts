import type { ChainFacts } from '../../../protocol/chains.ts'
import { txChainOpeningVsize, txChainOverheadVsize } from '../../../protocol/transaction-size.ts'

/** What is priced of one item: bytes stored, and for a chain the data transactions that carry them. */
export interface PricedItem {
  storedSize: number
  /** 0 for IPFS. */
  transactions: number
}

/** What a price depends on beside the items; money in base units, the fee rate in base units per 1,000 vbytes. */
export interface PriceTerms {
  feeRate: bigint
  pricePerKib: bigint
  /** Tx chains that a write may be spread over. */
  txChains: number
  /** Of the chain that it is paid on. */
  facts: Pick<ChainFacts, 'segwit' | 'dust'>
}

/** A price, frozen in its payment request; `amount` is what is to be paid, the rest says what for. */
export interface Price {
  amount: bigint
  networkFee: bigint
  storageFee: bigint
}

/** Fees move between the quote and the write, and a stuck tx chain is bumped: 15 % on top of the network's fees. */
const MARGIN_PERCENT = 15n

const KIB = 1024n

/**
 * The price of storing `items` together: the network's fee for every data transaction and for opening tx chains, as the
 * writer plans them (protocol/transaction-size.ts), with a margin, and the service's own price for each KiB begun of all that is stored. Never less than
 * what the network lets through as an output. Pure; grows with every number that goes into it.
 */
export function price(items: readonly PricedItem[], terms: PriceTerms): Price {
  const { segwit } = terms.facts
  const transactions = items.reduce((sum, item) => sum + item.transactions, 0)
  const data = items.reduce((sum, item) => sum + BigInt(item.transactions && item.storedSize), 0n)
  const txChains = Math.min(terms.txChains, transactions)
  const vbytes = data + BigInt(transactions * txChainOverheadVsize(segwit) + txChains * txChainOpeningVsize(segwit))
  const fee = divideUp(vbytes * terms.feeRate * (100n + MARGIN_PERCENT), 1000n * 100n)
  // A node rounds each transaction's fee up by itself.
  const networkFee = fee + BigInt(transactions)
  const storedBytes = items.reduce((sum, item) => sum + BigInt(item.storedSize), 0n)
  const storageFee = divideUp(storedBytes, KIB) * terms.pricePerKib
  const total = networkFee + storageFee
  return { amount: total > terms.facts.dust ? total : terms.facts.dust, networkFee, storageFee }
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
