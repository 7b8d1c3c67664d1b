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
  /** What amounts are called. */
  ticker: string
  /** The start of addresses, as far as it differs from other chains; only the node decides whether an address is valid. */
  address: RegExp
  /** Block 0 of the main network, where there is one: a node of another, such as a test network, would sell for worthless coins. */
  genesis?: string
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
    ticker: 'NTC',
    address: /^(ntc|tntc|ncrt)1[a-z0-9]{20,90}$/i,
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
    ticker: 'DOGE',
    address: /^[DA9][1-9A-HJ-NP-Za-km-z]{25,34}$/,
    genesis: '1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691',
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
    ticker: 'BTC',
    address: /^(bc|tb|bcrt)1[a-z0-9]{20,90}$/i,
    genesis: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
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

/**
 * Whether `name` is one of the chains, capitals included: `bitcoin` is not.
 * @internal
 */
export function isBlockchain(name: unknown): name is Blockchain {
  return BLOCKCHAINS.some((blockchain) => blockchain === name)
}

/**
 * Whether `name` is a chain or `IPFS`.
 * @internal
 */
export function isStorageTarget(name: unknown): name is StorageTarget {
  return name === 'IPFS' || isBlockchain(name)
}
