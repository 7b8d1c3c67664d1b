import type { StrippedTransaction } from '../../../protocol/transaction.ts'
import { now } from '../../platform/clock.ts'
import { type RawSettings, readConfig } from '../../platform/config/read-config.ts'
import { type MemoryShare, type TakeMemory, withPriority } from '../../platform/flow/memory-budget.ts'
import { AppError } from '../../platform/http/errors.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import { formOf, type StoredForm } from './brotli.ts'
import { fetchTransactions } from './fetch-transactions.ts'
import { GatheredContent } from './gathered-content.ts'
import { inSteps, lengthOf } from './join-parts.ts'
import type { PackedTransactions } from './packed-transactions.ts'
import type { ContentRequest } from './parse-request.ts'
import { type PackRead, planPackReads } from './plan-pack-reads.ts'

/** The content of a list: its parts are in memory once for all readers. */
export interface FetchedList {
  gathered: GatheredContent
  content: Uint8Array[]
  transactions: Uint8Array[]
  form: StoredForm
  /** The memory that it has of the isolate, to be released; nothing where it is small. */
  share: MemoryShare | undefined
  /** The packs that were read and are sound. */
  reads: PackRead[]
  /** The txids that are in none of them. */
  unstored: string[]
  /** Whether the node was asked. */
  asked: boolean
  /** Milliseconds spent waiting for the node. */
  rpcMs: number
}

/** Packs of other lists that are read for one list: with the new packs and the record, fewer than 64 R2 operations. */
export const MAX_SHARED_READS = 48
/** From here on (bytes that are there) a list waits until the isolate has memory for the largest that it may be. */
const LARGE_BYTES = 2 << 20

/** Where a list is read from, and for whom memory is reserved. */
export interface ListSource {
  env: RawSettings
  packed: Pick<PackedTransactions, 'find' | 'read' | 'forget'>
  take: TakeMemory
}

/**
 * The transactions of a list: from the packs in which it was stored, then from those of other lists, then from the node. Each
 * is hashed against its txid. `not_found` if one does not exist or has no data.
 * @throws {AppError} 422 `content_too_large`, and nothing more is read; 502, 504, 503 if nobody could answer.
 */
export async function fetchList(
  source: ListSource,
  request: ContentRequest,
  kept: readonly PackRead[],
): Promise<FetchedList | 'not_found'> {
  const held: { share: MemoryShare | undefined } = { share: undefined }
  let fetched: FetchedList | 'not_found' = 'not_found'
  try {
    fetched = await gatherList(source, request, kept, held)
    return fetched
  } finally {
    if (fetched === 'not_found') held.share?.release()
  }
}

async function gatherList(
  { env, packed, take }: ListSource,
  { blockchain, txids }: ContentRequest,
  kept: readonly PackRead[],
  held: { share: MemoryShare | undefined },
): Promise<FetchedList | 'not_found'> {
  const { chains, maxContentBytes, maxDecodedBytes } = readConfig(env)
  const unique = [...new Set(txids)]
  const wanted = new Set(unique)
  const gathered = new GatheredContent(maxContentBytes)
  let reads: PackRead[] = []
  let unpacked: string[] = []
  let empty = false

  const gather = async (transactions: readonly StrippedTransaction[]): Promise<void> => {
    // A pack has transactions of other lists as well; one that was altered has a txid that nobody asked for.
    for (const one of transactions) if (wanted.has(one.txid) && !gathered.add(one)) empty = true
    if (gathered.heldBytes > LARGE_BYTES) held.share ??= await take('gather', gathered.mostBytes)
    held.share?.touch()
  }
  const readPacks = async (planned: readonly PackRead[]): Promise<void> => {
    for await (const { read, transactions } of packed.read(blockchain, planned)) {
      reads.push(read)
      await gather(transactions)
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
    unpacked = places.filter(({ txid, pack }) => damaged.has(pack) && gathered.has(txid)).map(({ txid }) => txid)
    for (const pack of damaged) await packed.forget(pack)
  } catch (error) {
    if (error instanceof AppError) throw error
    // The node has it all.
    logOnceAMinute('error', 'packs_unavailable', error)
  }

  const fresh = empty ? [] : missing()
  const started = now()
  const all = fresh.length === 0 || (await fetchTransactions(chains[blockchain], fresh, gather))
  if (!all || empty) return 'not_found'
  const rpcMs = now() - started
  const { content, transactions } = gathered.inOrder(txids)
  held.share?.shrink(gathered.heldBytes)
  const form = await formOf(
    inSteps(content),
    lengthOf(content),
    maxDecodedBytes,
    held.share ? withPriority(take) : take,
  )
  const unstored = [...unpacked, ...fresh]
  return { gathered, content, transactions, form, share: held.share, reads, unstored, asked: fresh.length > 0, rpcMs }
}
