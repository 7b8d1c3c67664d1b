import type { ChainFacts } from '../../protocol/chains.ts'

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
  /** Lanes that a write may be spread over. */
  lanes: number
  /** Of the chain that it is paid on. */
  facts: Pick<ChainFacts, 'segwit' | 'dust'>
}

/** A price, frozen in its payment request; `amount` is what is to be paid, the rest says what for. */
export interface Price {
  amount: bigint
  networkFee: bigint
  storageFee: bigint
}

/** Fees move between the quote and the write, and a stuck lane is bumped: 15 % on top of the network's fees. */
const MARGIN_PERCENT = 15n

const KIB = 1024n

/** Virtual bytes of transaction parts, P2WPKH where the chain has it, P2PKH otherwise; signatures at their longest. */
const PARTS = {
  segwit: { frame: 11n, input: 68n, output: 31n },
  legacy: { frame: 10n, input: 148n, output: 34n },
} as const

/** Value, script length, OP_RETURN and the push's own opcode and length, at their longest. */
const DATA_OUTPUT = 8n + 5n + 1n + 5n

/**
 * The price of storing `items` together: the network's fee for every data transaction and for splitting coins into
 * lanes ahead, with a margin, and the service's own price for each KiB begun of all that is stored. Never less than
 * what the network lets through as an output. Pure; grows with every number that goes into it.
 */
export function price(items: readonly PricedItem[], terms: PriceTerms): Price {
  const vbytes = items.reduce((sum, item) => sum + dataVbytes(item, terms.facts.segwit), 0n)
  const transactions = items.reduce((sum, item) => sum + item.transactions, 0)
  const split = transactions > 0 ? splitVbytes(Math.min(terms.lanes, transactions), terms.facts.segwit) : 0n
  const fee = divideUp((vbytes + split) * terms.feeRate * (100n + MARGIN_PERCENT), 1000n * 100n)
  // A node rounds each transaction's fee up by itself.
  const networkFee = fee + BigInt(transactions)
  const storedBytes = items.reduce((sum, item) => sum + BigInt(item.storedSize), 0n)
  const storageFee = divideUp(storedBytes, KIB) * terms.pricePerKib
  const total = networkFee + storageFee
  return { amount: total > terms.facts.dust ? total : terms.facts.dust, networkFee, storageFee }
}

/** Virtual bytes of all data transactions of an item: one input, the data, change. */
function dataVbytes(item: PricedItem, segwit: boolean): bigint {
  const { frame, input, output } = segwit ? PARTS.segwit : PARTS.legacy
  return (
    BigInt(item.transactions) * (frame + input + output + DATA_OUTPUT) + BigInt(item.transactions && item.storedSize)
  )
}

// One transaction makes the lanes' coins, and each lane's last change is a coin to be spent again one day.
function splitVbytes(lanes: number, segwit: boolean): bigint {
  const { frame, input, output } = segwit ? PARTS.segwit : PARTS.legacy
  return frame + input + output + BigInt(lanes) * (output + input)
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
