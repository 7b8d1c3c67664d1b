/** The chains content lives on. `IPFS` is a storage target too, and no chain. */
export const BLOCKCHAINS = ['Nativecoin', 'Dogecoin', 'Bitcoin'] as const
export type Blockchain = (typeof BLOCKCHAINS)[number]

export const STORAGE_TARGETS = [...BLOCKCHAINS, 'IPFS'] as const
export type StorageTarget = (typeof STORAGE_TARGETS)[number]

/** Base units of one coin, on every chain here. */
export const COIN = 100_000_000n

/** A value for each chain. */
export function eachChain<T>(make: (blockchain: Blockchain) => T): Record<Blockchain, T> {
  return { Nativecoin: make('Nativecoin'), Dogecoin: make('Dogecoin'), Bitcoin: make('Bitcoin') }
}

/** What differs between the chains, real nodes' defaults. Fee rates in base units per 1,000 vbytes. */
export interface ChainFacts {
  /** What the names of its settings end in. */
  settingSuffix: Uppercase<Blockchain>
  /** Data bytes of one transaction under the node's standard policy; MAX_DATA_BYTES_<CHAIN> raises it. */
  maxDataBytes: number
  /** Depth at which a payment settles and a write is published. */
  confirmations: number
  segwit: boolean
  /** Scheme of payment URIs (BIP 21). */
  uriScheme: string
  /** Least fee rate that the network relays. */
  relayFeeRate: bigint
  /** Fee rate used where the node has no estimate. */
  fallbackFeeRate: bigint
  /** An output below this is refused by relay policy. */
  dust: bigint
  coinbaseMaturity: number
  /** Usual seconds between two blocks. */
  blockSeconds: number
}

export const CHAINS: Record<Blockchain, ChainFacts> = {
  // A chain of the service's own, on Bitcoin Core's code; one transaction holds a whole website.
  Nativecoin: {
    settingSuffix: 'NATIVECOIN',
    maxDataBytes: 102_480,
    confirmations: 3,
    segwit: true,
    uriScheme: 'nativecoin',
    relayFeeRate: 1_000n,
    fallbackFeeRate: 1_000n,
    dust: 546n,
    coinbaseMaturity: 100,
    blockSeconds: 600,
  },
  // Dogecoin Core 1.14: no segwit; 0.01 DOGE/kB recommended, 0.001 relayed; below 0.01 DOGE an output costs extra.
  Dogecoin: {
    settingSuffix: 'DOGECOIN',
    maxDataBytes: 80,
    confirmations: 6,
    segwit: false,
    uriScheme: 'dogecoin',
    relayFeeRate: 100_000n,
    fallbackFeeRate: 1_000_000n,
    dust: 1_000_000n,
    coinbaseMaturity: 240,
    blockSeconds: 60,
  },
  Bitcoin: {
    settingSuffix: 'BITCOIN',
    maxDataBytes: 80,
    confirmations: 2,
    segwit: true,
    uriScheme: 'bitcoin',
    relayFeeRate: 1_000n,
    fallbackFeeRate: 5_000n,
    dust: 546n,
    coinbaseMaturity: 100,
    blockSeconds: 600,
  },
}

/** Whether `name` is one of the chains, capitals included: `bitcoin` is not. */
export function isBlockchain(name: unknown): name is Blockchain {
  return BLOCKCHAINS.some((blockchain) => blockchain === name)
}

/** Whether `name` is a chain or `IPFS`. */
export function isStorageTarget(name: unknown): name is StorageTarget {
  return name === 'IPFS' || isBlockchain(name)
}
