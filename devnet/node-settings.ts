import { type Blockchain, CHAINS, COIN } from '../protocol/chains.ts'
import { dataScriptLength } from '../protocol/transaction-size.ts'
import type { WorkName } from './block.ts'

/** Most unconfirmed relatives of a mempool transaction, itself included; `bytes` is virtual size. */
export interface PackageLimit {
  count: number
  bytes: number
}

/** How one embedded node behaves: what a real node has in its source and its configuration file. */
export interface NodeSettings {
  blockchain: Blockchain
  /** What one coin is worth, made up. */
  prices: Record<'EUR' | 'USD' | 'GBP', number>
  /** Whose RPC, error texts and signing methods it speaks: Bitcoin Core or Dogecoin Core 1.14. */
  dialect: 'core' | 'dogecoin'
  /**
   * `-limitclustercount` and `-limitclustersize`, from Bitcoin Core 31 on. Such a node has no ancestor and descendant
   * limits, and mines and evicts by chunks. `undefined`: an older node.
   */
  cluster: PackageLimit | undefined
  version: number
  subversion: string
  /** Of the blocks that it mines; on a chain with merged mining its chain ID in the upper 16 bits. */
  blockVersion: number
  /** The chain ID of merged mining, on a chain whose blocks can be mined with those of another. */
  chainId: number | undefined
  work: WorkName
  /** Base58 version bytes, and the Bech32 prefix where the chain has segwit. */
  address: { pubKeyHash: number; scriptHash: number; hrp: string | undefined }
  /** `-datacarriersize`: longest OP_RETURN script that is relayed. */
  maxDataScriptBytes: number
  maxStandardWeight: number
  /** Base units per 1,000 vbytes. */
  relayFeeRate: bigint
  incrementalFeeRate: bigint
  /** A miner leaves transactions below this alone (`-blockmintxfee`). */
  blockMinFeeRate: bigint
  /** What `sendtoaddress` pays (`-paytxfee`). */
  walletFeeRate: bigint
  /** The highest fee without an explicit option: per 1,000 vbytes in Core's dialect, in all in Dogecoin's. */
  maxFee: bigint
  /** Dogecoin's fixed limits; elsewhere dust follows from what spending the output would cost. */
  dust: { hard: bigint; soft: bigint } | undefined
  ancestors: PackageLimit
  descendants: PackageLimit
  /** Core before 31 lets one small child more hang on a transaction at its limit. */
  carveOut: boolean
  replacement: 'full' | 'signalled'
  /** A larger amount is invalid. */
  maxMoney: bigint
  coinbaseMaturity: number
  subsidy: bigint
  maxBlockWeight: number
  /** In vbytes; a real node counts memory. */
  maxMempoolBytes: number
  /** After this time a waiting transaction expires. */
  mempoolExpirySeconds: number
  /** Outputs of the first block: to the faucet, and to the service's wallet, as an operator would fund it. */
  premine: { faucet: { count: number; value: bigint }; service: { count: number; value: bigint } }
}

const CORE = {
  dialect: 'core',
  cluster: undefined,
  version: 290_000,
  blockVersion: 0x20000000,
  chainId: undefined,
  work: 'sha256d',
  maxStandardWeight: 400_000,
  incrementalFeeRate: 1_000n,
  maxFee: COIN / 10n,
  dust: undefined,
  ancestors: { count: 25, bytes: 101_000 },
  descendants: { count: 25, bytes: 101_000 },
  carveOut: true,
  replacement: 'full',
  maxMoney: 21_000_000n * COIN,
  subsidy: 50n * COIN,
  maxBlockWeight: 4_000_000,
  maxMempoolBytes: 300_000_000,
  mempoolExpirySeconds: 336 * 3600,
} as const

/** The settings of each embedded node, as a node of that chain has them for this service. */
export const NODE_SETTINGS: Record<Blockchain, NodeSettings> = {
  Bitcoin: {
    ...CORE,
    blockchain: 'Bitcoin',
    prices: { EUR: 80_000, USD: 90_000, GBP: 70_000 },
    subversion: '/Satoshi:29.0.0/',
    address: { pubKeyHash: 0x6f, scriptHash: 0xc4, hrp: 'bcrt' },
    maxDataScriptBytes: 83,
    relayFeeRate: CHAINS.Bitcoin.relayFeeRate,
    blockMinFeeRate: CHAINS.Bitcoin.relayFeeRate,
    walletFeeRate: CHAINS.Bitcoin.fallbackFeeRate,
    coinbaseMaturity: CHAINS.Bitcoin.coinbaseMaturity,
    premine: { faucet: { count: 500, value: 1_000n * COIN }, service: { count: 20, value: 50n * COIN } },
  },
  // One transaction of 102,480 bytes is over Core's standard weight, and two in a row over its package and cluster limits:
  // an operator raises both. -maxmempool must be 40 times the limit. Its blocks are large enough for a
  // content of 16 MiB in one.
  Nativecoin: {
    ...CORE,
    blockchain: 'Nativecoin',
    prices: { EUR: 4, USD: 4.5, GBP: 3.5 },
    subversion: '/Nativecoin:29.0.0/',
    address: { pubKeyHash: 0x35, scriptHash: 0xc4, hrp: 'ntcrt' },
    maxDataScriptBytes: dataScriptLength(CHAINS.Nativecoin.maxDataBytes),
    maxStandardWeight: 420_000,
    maxBlockWeight: 80_000_000,
    ancestors: { count: 25, bytes: 3_000_000 },
    descendants: { count: 25, bytes: 3_000_000 },
    relayFeeRate: CHAINS.Nativecoin.relayFeeRate,
    blockMinFeeRate: CHAINS.Nativecoin.relayFeeRate,
    walletFeeRate: CHAINS.Nativecoin.fallbackFeeRate,
    coinbaseMaturity: CHAINS.Nativecoin.coinbaseMaturity,
    premine: { faucet: { count: 500, value: 1_000n * COIN }, service: { count: 20, value: 50n * COIN } },
  },
  Dogecoin: {
    blockchain: 'Dogecoin',
    prices: { EUR: 0.2, USD: 0.22, GBP: 0.17 },
    dialect: 'dogecoin',
    cluster: undefined,
    version: 1140900,
    blockVersion: 0x00620004,
    chainId: 0x62,
    work: 'scrypt',
    subversion: '/Shibetoshi:1.14.9/',
    address: { pubKeyHash: 0x6f, scriptHash: 0xc4, hrp: undefined },
    maxDataScriptBytes: 83,
    maxStandardWeight: 400_000,
    relayFeeRate: CHAINS.Dogecoin.relayFeeRate,
    incrementalFeeRate: 10_000n,
    blockMinFeeRate: CHAINS.Dogecoin.fallbackFeeRate,
    walletFeeRate: CHAINS.Dogecoin.fallbackFeeRate,
    maxFee: 100n * COIN,
    dust: { hard: 100_000n, soft: 1_000_000n },
    ancestors: { count: 25, bytes: 101_000 },
    descendants: { count: 25, bytes: 101_000 },
    carveOut: false,
    replacement: 'signalled',
    maxMoney: 10_000_000_000n * COIN,
    coinbaseMaturity: CHAINS.Dogecoin.coinbaseMaturity,
    subsidy: 10_000n * COIN,
    maxBlockWeight: 4_000_000,
    maxMempoolBytes: 300_000_000,
    mempoolExpirySeconds: 24 * 3600,
    premine: { faucet: { count: 500, value: 100_000n * COIN }, service: { count: 20, value: 10_000n * COIN } },
  },
}

const CORE_30_99 = { version: 309_900, cluster: { count: 64, bytes: 101_000 }, carveOut: false } as const

/**
 * Changes that make the nodes of Bitcoin Core's code those of its present master (30.99), which knows clusters; what most
 * operators run, and the settings above describe, is a release before that. `npm start` runs these.
 */
export const PRESENT_NODES = {
  Bitcoin: { ...CORE_30_99, subversion: '/Satoshi:30.99.0/' },
  // -limitclustersize as -limitdescendantsize before: tx chains of 25 transactions of 102,480 bytes.
  Nativecoin: { ...CORE_30_99, subversion: '/Nativecoin:30.99.0/', cluster: { count: 64, bytes: 3_000_000 } },
} as const

/** The defaults of Bitcoin Core 30.99, while the nodes above are configured for this service. */
export const STOCK_CORE = {
  relayFeeRate: 100n,
  incrementalFeeRate: 100n,
  blockMinFeeRate: 1n,
  maxDataScriptBytes: 100_000,
} as const
