import { concatBytes } from '../../protocol/bytes.ts'
import { BLOCKCHAINS, type Blockchain, isBlockchain } from '../../protocol/chains.ts'
import type { FetchRequest } from '../fetch-bytes.ts'
import { inGroups } from '../in-groups.ts'
import { readWhole } from '../read-whole.ts'
import { ReaderError } from '../reader-error.ts'
import { type Sha256, type VerifiedTransaction, verifyTransactionAt, verifyTransactions } from './verify-transaction.ts'

/** Verified transactions by txid, cached between reads; what is read back is verified again. */
export interface TransactionStore {
  get(txids: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>
  put(transactions: readonly { txid: string; bytes: Uint8Array }[]): Promise<void>
  /** Removes a damaged one, where `put` does not replace it. */
  remove?(txid: string): Promise<void>
}

export interface ChainLimits {
  /** Txids of one content. */
  maxTransactions: number
  /** Bytes of raw transactions of one content. */
  maxRawBytes: number
  /** Transactions of one request. */
  maxBatch: number
}

/** What the API serves by default: 15,000 transactions, four times 16 MiB. */
export const CHAIN_LIMITS: ChainLimits = { maxTransactions: 15_000, maxRawBytes: 64 << 20, maxBatch: 2000 }

export interface ChainReader {
  /** The pieces of a body; throws a `ReaderError` if it fails: `fetchBytes`, or a function like it. */
  download(request: FetchRequest): AsyncIterable<Uint8Array>
  /** The API host, without a slash at the end. Any host can be used: all its answers are verified. */
  api: string
  sha256: Sha256
  store?: TransactionStore | undefined
  limits: ChainLimits
  onProgress?(transactions: number, total: number): void
}

/** Most txids in a URL, so that it stays within 8 KB; longer lists are posted. */
const MAX_IN_URL = 100

/** Txids in lower case. @throws {ReaderError} `invalid_source` naming the first invalid one. */
function checkChainSource(blockchain: unknown, txids: readonly string[], { maxTransactions }: ChainLimits) {
  if (!isBlockchain(blockchain)) {
    throw new ReaderError('invalid_source', `${String(blockchain)} is none of ${BLOCKCHAINS.join(', ')}.`)
  }
  if (txids.length === 0) throw new ReaderError('invalid_source', 'There must be at least one txid.')
  if (txids.length > maxTransactions) {
    throw new ReaderError('invalid_source', `${txids.length} txids are more than ${maxTransactions}.`)
  }
  const bad = txids.find((txid) => !/^[0-9a-fA-F]{64}$/.test(txid))
  if (bad !== undefined) throw new ReaderError('invalid_source', `${bad.slice(0, 80)} is no txid of 64 hex digits.`)
  return { blockchain, txids: txids.map((txid) => txid.toLowerCase()) }
}

/**
 * The data of the transactions, joined in order and not decoded. Each transaction, fetched or cached, is hashed to its
 * txid first; a repeated txid is fetched once and counted each time. @throws {ReaderError}
 */
export async function readStoredContent(
  reader: ChainReader,
  source: { blockchain: Blockchain; txids: readonly string[] },
): Promise<Uint8Array<ArrayBuffer>> {
  const { blockchain, txids } = checkChainSource(source.blockchain, source.txids, reader.limits)
  return await joinTransactions(txids, reader, fetchMissing(reader, blockchain, txids))
}

/** Adds transactions that are not stored to those that are. */
function fetchMissing(reader: ChainReader, blockchain: Blockchain, txids: readonly string[]): FetchMissing {
  const total = new Set(txids).size
  return async (missing, verified) => {
    let rawBytes = [...verified.values()].reduce((sum, { bytes }) => sum + bytes.length, 0)
    reader.onProgress?.(verified.size, total)
    for (const batch of inGroups(missing, reader.limits.maxBatch)) {
      const fetched = await fetchTransactions(reader, blockchain, batch, reader.limits.maxRawBytes - rawBytes)
      for (const transaction of fetched) {
        rawBytes += transaction.bytes.length
        verified.set(transaction.txid, transaction)
      }
      reader.onProgress?.(verified.size, total)
      await reader.store?.put(fetched)
    }
  }
}

type FetchMissing = (missing: string[], verified: Map<string, VerifiedTransaction>) => Promise<void>

/** The data of each of the transactions, in order, each hashed to its txid. @throws {ReaderError} as {@link readStoredContent} */
export async function readTransactionData(
  reader: ChainReader,
  source: { blockchain: Blockchain; txids: readonly string[] },
): Promise<Uint8Array<ArrayBuffer>[]> {
  const { txids } = checkChainSource(source.blockchain, source.txids, reader.limits)
  return await dataOfEach(txids, reader, fetchMissing(reader, source.blockchain, txids))
}

/**
 * The data of the transactions, joined in order. Stored ones are hashed to their txids again; `fetch` adds the missing
 * ones, of which each is named once, to `verified`. @throws {ReaderError} `not_found` for a transaction without data
 */
export async function joinTransactions(
  txids: readonly string[],
  { store, sha256 }: { store?: Pick<TransactionStore, 'get' | 'remove'> | undefined; sha256: Sha256 },
  fetch: FetchMissing,
): Promise<Uint8Array<ArrayBuffer>> {
  return concatBytes(await dataOfEach(txids, { store, sha256 }, fetch))
}

async function dataOfEach(
  txids: readonly string[],
  { store, sha256 }: { store?: Pick<TransactionStore, 'get' | 'remove'> | undefined; sha256: Sha256 },
  fetch: FetchMissing,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const wanted = [...new Set(txids)]
  const verified = new Map<string, VerifiedTransaction>()
  const kept = await store?.get(wanted)
  await Promise.all(
    wanted.map(async (txid, index) => {
      const bytes = kept?.[index]
      if (!bytes) return
      try {
        verified.set(txid, await verifyTransactionAt(bytes, 0, txid, sha256))
      } catch {
        await store?.remove?.(txid)
      }
    }),
  )
  await fetch(
    wanted.filter((txid) => !verified.has(txid)),
    verified,
  )
  return txids.map((txid) => {
    const pushes = verified.get(txid)?.pushes
    if (!pushes) throw new ReaderError('not_found', `Transaction ${txid} holds no data.`)
    return concatBytes(pushes)
  })
}

async function fetchTransactions(reader: ChainReader, blockchain: Blockchain, txids: string[], maxBytes: number) {
  const long = txids.length > MAX_IN_URL
  const url = `${reader.api}/v0/tx${long ? '' : `/${blockchain}/${txids.join(',')}`}`
  const body = await readWhole(reader.download({ url, maxBytes, ...(long && { json: { blockchain, txids } }) }))
  return verifyTransactions(body, txids, reader.sha256)
}
