import { concatBytes } from '../protocol/bytes.ts'
import type { Blockchain } from '../protocol/chains.ts'
import { joinTransactions } from '../reader/chain/read-chain-content.ts'
import { type VerifiedTransaction, verifyTransactions } from '../reader/chain/verify-transaction.ts'
import { mapBounded } from '../reader/map-bounded.ts'
import type { Database } from './database.ts'
import { type FetchAny, fetchVerified } from './fetch-from.ts'
import type { Sha256 } from './sha256.ts'

/** Default limit of the API for the raw transactions of content: four times 16 MiB. */
const LIMIT = 64 << 20
/** Most txids in a URL, so that it stays below 8 KB; longer lists are sent by POST. */
const MAX_IN_URL = 100
/** Concurrent requests for one element of type `chunk`. */
const AT_ONCE = 6

/** What chain content is read with. */
export interface ChainSource {
  fetchAny: FetchAny
  database: Database
  sha256: Sha256
}

export interface ChainRequest {
  blockchain: Blockchain
  /** Txids. */
  sources: readonly string[]
  /** `chunk`: one request for each transaction, each stored separately; `blob`: one request for all missing ones. */
  mode: 'blob' | 'chunk'
  /** Whether to ignore what the browser has stored. */
  reload: boolean
  /** Origins to ask after the API host. */
  gateways?: readonly string[]
  /** Aborts reading with its reason. */
  signal?: AbortSignal
  /** Counts transactions for `chunk`, bytes for `blob`. */
  onProgress(loaded: number, total: number | undefined): void
}

/** By txid. */
type Verified = Map<string, VerifiedTransaction>

/**
 * The data of the transactions, joined in order but not decoded. Each transaction, from the network or from the
 * database, is compared with its txid first.
 * @throws {ReaderError}
 */
export function readChainContent(source: ChainSource, request: ChainRequest): Promise<Uint8Array<ArrayBuffer>> {
  const { database, sha256 } = source
  const store = request.reload
    ? undefined
    : {
        get: (txids: readonly string[]) => database.get(txids.map(transactionKey)),
        remove: (txid: string) => database.delete([transactionKey(txid)]),
      }
  return joinTransactions(request.sources, { store, sha256 }, (missing, verified) =>
    (request.mode === 'chunk' ? fetchEach : fetchAll)(source, request, missing, verified),
  )
}

async function fetchAll(source: ChainSource, request: ChainRequest, missing: string[], verified: Verified) {
  if (missing.length === 0) return
  const { blockchain, mode, reload, gateways, signal, onProgress } = request
  const long = missing.length > MAX_IN_URL
  const arrived = await fetchVerified(
    source.fetchAny,
    {
      reload,
      gateways,
      signal,
      kind: 'chain',
      path: `/v0/tx${long ? '' : `/${blockchain}/${missing}`}`,
      limit: LIMIT,
      ...(long && { body: { blockchain, txids: missing } }),
      ...(mode === 'blob' && { onProgress }),
    },
    (chunks) => verifyTransactions(concatBytes(chunks), missing, source.sha256),
  )
  for (const transaction of arrived) verified.set(transaction.txid, transaction)
  // Content is shown without waiting until it is stored.
  void source.database.put(arrived.map(({ txid, bytes }) => [transactionKey(txid), bytes]))
}

async function fetchEach(source: ChainSource, request: ChainRequest, missing: string[], verified: Verified) {
  const total = verified.size + missing.length
  const report = () => request.onProgress(verified.size, total)
  report()
  await mapBounded(missing, AT_ONCE, async (txid) => {
    await fetchAll(source, request, [txid], verified)
    report()
  })
}

/**
 * The database key of a transaction: its CID in base 16. A transaction without witness is the IPLD block of codec
 * `bitcoin-tx` (0xb1) whose multihash is `dbl-sha2-256` (0x56) of 32 bytes (multicodec table).
 */
export function transactionKey(txid: string): string {
  // A txid is written in reverse.
  return `f01b1015620${txid.match(/../g)?.reverse().join('')}`
}
