/**
 * Unconfirmed transactions in a tx chain on a node that names no limit of a cluster: one less than such nodes allow, so that there
 * is room for one that pays for all.
 */
export const TX_CHAIN_LENGTH = 24

/** On a node that names one, which may be any number: what is signed for all tx chains at once is stored and sent as a whole. */
const MAX_TX_CHAIN_LENGTH = 99

/** Virtual bytes that may wait in a tx chain, its bump left aside: half of a block of Bitcoin Core, so that all of it fits into one. */
export const TX_CHAIN_VBYTES = 450_000

/** What may wait unconfirmed in a tx chain. */
export interface TxChainLimits {
  count: number
  vbytes: number
}

/** The limits of a tx chain on a node that names limits of a cluster: below them, with room for one that pays for all. */
export function txChainLimits(cluster: Partial<TxChainLimits>): TxChainLimits {
  return {
    count:
      cluster.count === undefined ? TX_CHAIN_LENGTH : Math.max(1, Math.min(MAX_TX_CHAIN_LENGTH, cluster.count - 1)),
    vbytes: Math.min(TX_CHAIN_VBYTES, Math.floor((cluster.vbytes ?? Number.POSITIVE_INFINITY) * 0.9)),
  }
}

/** Tx chains that may be open for each that is filled at a time. */
const OPEN_PER_TX_CHAIN = 4

/** How many tx chains are worth having for so many transactions, where so many fit into one. */
export function txChainsWorth(transactions: number, maxTxChains: number, length = TX_CHAIN_LENGTH): number {
  return Math.max(1, Math.min(maxTxChains, Math.ceil(transactions / length)))
}

/** Tx chains that may be open at a time, where so many are filled. */
export function mostTxChains(maxTxChains: number): number {
  return OPEN_PER_TX_CHAIN * maxTxChains
}
