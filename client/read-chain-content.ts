import { sha256 } from '@noble/hashes/sha2.js'
import type { Blockchain } from '../protocol/chains.ts'
import { MAX_DECODED_BYTES } from '../reader/brotli/decode-content.ts'
import {
  CHAIN_LIMITS,
  type ChainLimits,
  type ChainReader,
  readStoredContent,
  type TransactionStore,
} from '../reader/chain/read-chain-content.ts'
import { readDecodedContent } from '../reader/chain/read-content.ts'
import { verifyTransactionAt } from '../reader/chain/verify-transaction.ts'
import type { FetchOptions, FetchRequest } from '../reader/fetch-bytes.ts'
import { fetchWithRetries } from '../reader/fetch-with-retries.ts'
import { ReaderError } from '../reader/reader-error.ts'
import { anonymousFetch } from './anonymous-fetch.ts'
import { decodeBrotli } from './decode-brotli.ts'

export interface ReadChainOptions {
  /** Address of any host with the API. Its data is verified, not trusted. */
  api: string | URL
  fetch?: FetchOptions['fetch'] | undefined
  signal?: AbortSignal | undefined
  /** Stores verified transactions between reads. */
  store?: TransactionStore | undefined
  limits?: Partial<ChainLimits & { maxDecodedBytes: number }> | undefined
  /** Milliseconds without a byte after which the host counts as unreachable. */
  silence?: number | undefined
  /**
   * `stored`: the bytes exactly as they are on the chain. Otherwise they are decoded, and an index transaction is
   * resolved.
   */
  as?: 'content' | 'stored' | undefined
  onProgress?(transactions: number, total: number): void
}

/**
 * The content of an ordered list of transactions: each transaction is hashed and compared with its txid, then the
 * OP_RETURN data is joined and decoded. A single txid may be that of an index transaction: then its parts are read in
 * the same way and compared with its hash.
 * @throws {ReaderError}
 */
export async function readChainContent(
  source: { blockchain: Blockchain; txids: readonly string[] },
  options: ReadChainOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const { api, fetch = anonymousFetch, signal, silence = 30_000 } = options
  const download = (request: FetchRequest) => fetchWithRetries(request, { fetch, signal, silence })
  return await readContent({ api: String(api).replace(/\/+$/, ''), download }, source, options)
}

/**
 * {@link readChainContent} with any `download` function.
 * @throws {ReaderError}
 */
export async function readContent(
  from: Pick<ChainReader, 'api' | 'download'>,
  source: { blockchain: Blockchain; txids: readonly string[] },
  { store, limits, as = 'content', onProgress }: Pick<ReadChainOptions, 'store' | 'limits' | 'as' | 'onProgress'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = { ...from, sha256, store, limits: { ...CHAIN_LIMITS, ...limits }, ...(onProgress && { onProgress }) }
  if (as === 'stored') return await readStoredContent(reader, source)
  const decoding = { decode: decodeBrotli, maxBytes: limits?.maxDecodedBytes ?? MAX_DECODED_BYTES }
  return (await readDecodedContent(reader, source, decoding)).bytes
}

/** One verified transaction. */
export interface Transaction {
  txid: string
  /** Its serialization without witness. */
  bytes: Uint8Array
  /** The data of its OP_RETURN outputs, in order; empty if there is none. */
  data: Uint8Array[]
}

/**
 * The transaction, with or without its witness, if its hash is `txid`. Trailing bytes are not allowed.
 * @throws {ReaderError} `not_verified`, `invalid_source`
 */
export async function verifyTransaction(bytes: Uint8Array, txid: string): Promise<Transaction> {
  if (!/^[0-9a-fA-F]{64}$/.test(txid)) throw new ReaderError('invalid_source', 'A txid has 64 hex digits.')
  const verified = await verifyTransactionAt(bytes, 0, txid.toLowerCase(), sha256)
  if (verified.end !== bytes.length) {
    throw new ReaderError('not_verified', `${bytes.length - verified.end} bytes follow the transaction.`)
  }
  return { txid: verified.txid, bytes: verified.bytes, data: verified.pushes ?? [] }
}
