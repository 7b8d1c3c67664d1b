import type { StrippedTransaction } from '../../../protocol/transaction.ts'
import { now } from '../../platform/clock.ts'
import { type RawSettings, readConfig } from '../../platform/config/read-config.ts'
import { AppError } from '../../platform/http/errors.ts'
import { encodingOf, type StoredEncoding } from './brotli.ts'
import { fetchTransactions } from './fetch-transactions.ts'
import { GatheredContent } from './gathered-content.ts'
import type { PackedTransactions } from './packed-transactions.ts'
import type { ContentRequest } from './parse-request.ts'
import { type PackRead, planPackReads } from './plan-pack-reads.ts'

/** What a list gave: parts that lie in memory once, whoever is sent them. */
export interface FetchedList {
  gathered: GatheredContent
  content: Uint8Array[]
  transactions: Uint8Array[]
  encoding: StoredEncoding
  /** The packs that were read and are sound. */
  reads: PackRead[]
  /** The txids that are in none of them. */
  unkept: string[]
  /** Whether the node was asked. */
  asked: boolean
  /** Milliseconds spent waiting for the node. */
  rpcMs: number
}

/** Packs of other lists that are read for one: with those that are made for the rest, and its record, less than 64. */
export const MAX_SHARED_READS = 48
/**
 * From here on (bytes that are there) a list waits until it is the only large one of its object, which has 128 MB, and
 * stays that until it is kept.
 */
const LARGE_BYTES = 2 << 20

/** Where a list is read from; `waitAlone` resolves when it is the only large one, at once when it was called before. */
export interface ListSource {
  env: RawSettings
  packed: Pick<PackedTransactions, 'find' | 'read' | 'forget'>
  waitAlone: () => Promise<void>
}

/**
 * Gathers the transactions of a list: from the packs in which it was kept, then from those of others, then from the node,
 * each hashed against its txid wherever it comes from. `not_found` when one does not exist or gives no data.
 * @throws {AppError} 422 `content_too_large`, nothing more is read then; 502, 504, 503 when it could not be learned.
 */
export async function fetchList(
  { env, packed, waitAlone }: ListSource,
  { blockchain, txids }: ContentRequest,
  kept: readonly PackRead[],
): Promise<FetchedList | 'not_found'> {
  const { chains, maxContentBytes, maxDecodedBytes } = readConfig(env)
  const unique = [...new Set(txids)]
  const wanted = new Set(unique)
  const gathered = new GatheredContent(maxContentBytes)
  let reads: PackRead[] = []
  let homeless: string[] = []
  let empty = false

  const take = async (transactions: readonly StrippedTransaction[]): Promise<void> => {
    // A pack has transactions of other lists as well; one that was altered has a txid that nobody asked for.
    for (const one of transactions) if (wanted.has(one.txid) && !gathered.add(one)) empty = true
    if (gathered.heldBytes > LARGE_BYTES) await waitAlone()
  }
  const readPacks = async (planned: readonly PackRead[]): Promise<void> => {
    for await (const { read, transactions } of packed.read(blockchain, planned)) {
      reads.push(read)
      await take(transactions)
    }
  }
  const missing = () => unique.filter((txid) => !gathered.has(txid))

  try {
    await readPacks(kept)
    const places = await packed.find(blockchain, missing())
    await readPacks(planPackReads(places, MAX_SHARED_READS - reads.length).reads)
    const read = new Set(reads.map(({ pack }) => pack))
    const wrong = places.filter(({ txid, pack }) => read.has(pack) && !gathered.has(txid) && !empty)
    const damaged = new Set(wrong.map(({ pack }) => pack))
    reads = reads.filter(({ pack }) => !damaged.has(pack))
    homeless = places.filter(({ txid, pack }) => damaged.has(pack) && gathered.has(txid)).map(({ txid }) => txid)
    for (const pack of damaged) await packed.forget(pack)
  } catch (error) {
    if (error instanceof AppError) throw error
    // The node has it all.
    console.error('packs_unavailable', error)
  }

  const fresh = empty ? [] : missing()
  const started = now()
  const all = fresh.length === 0 || (await fetchTransactions(chains[blockchain], fresh, take))
  if (!all || empty) return 'not_found'
  const rpcMs = now() - started
  const { content, transactions } = gathered.inOrder(txids)
  const encoding = await encodingOf(content, maxDecodedBytes)
  const unkept = [...homeless, ...fresh]
  return { gathered, content, transactions, encoding, reads, unkept, asked: fresh.length > 0, rpcMs }
}
