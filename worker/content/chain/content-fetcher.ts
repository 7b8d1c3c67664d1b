import { DurableObject } from 'cloudflare:workers'
import PQueue from 'p-queue'
import type { Blockchain } from '../../../protocol/chains.ts'
import { objectId } from '../../../protocol/object-id.ts'
import type { ContentFetcherRpc, Env, FetcherAnswer, FollowedParts, PackedPlace } from '../../platform/bindings.ts'
import { now } from '../../platform/clock.ts'
import { CACHE_DAYS } from '../../platform/config/fixed-limits.ts'
import { startWait, waitedTooLong } from '../../platform/flow/longest-wait.ts'
import { memoryOf } from '../../platform/flow/memory-budget.ts'
import { unavailable } from '../../platform/http/errors.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import { admitToCache } from '../cache/admit-to-cache.ts'
import { putRecord } from './bucket-records.ts'
import { CachedLists } from './cached-lists.ts'
import type { IndexDescription, IndexMark } from './check-index.ts'
import { listName, type RecordKind } from './content-record.ts'
import { type FetchedList, fetchList, MAX_SHARED_READS } from './fetch-list.ts'
import { errorAnswer, sendParts } from './fetcher-answer.ts'
import { lengthOf } from './join-parts.ts'
import { PARTS_PREFIX, putListMark } from './list-mark.ts'
import { PackIndex } from './pack-index.ts'
import { PackedTransactions } from './packed-transactions.ts'
import type { ContentRequest } from './parse-request.ts'
import { type PackRead, planPackReads } from './plan-pack-reads.ts'
import { waitForDelivery } from './wait-for-delivery.ts'

/** The most packs that a fetched list is read from: with its record, 64 R2 operations. */
const MAX_READS = 63
/** Lists of a chain that are fetched at once, and that may wait. */
const LISTS_AT_ONCE = 8
const LISTS_WAITING = 256

/** Searches for transactions of doginals of a chain that may wait for the one that runs. */
const SEARCHES_WAITING = 16
/** Searches of one client, running or waiting: the rest of the queue is for others. */
const SEARCHES_OF_CLIENT = 8

const DAY = 86_400_000

type SiteAnswer = Awaited<ReturnType<ContentFetcherRpc['keepSite']>>
type CheckAnswer = Awaited<ReturnType<ContentFetcherRpc['checkIndex']>>
type FollowAnswer = Awaited<ReturnType<ContentFetcherRpc['followDoginal']>>

/**
 * Fetches content for every reader: a crowd that asks for the same cold content is one fetch at the node. The
 * platform lets the requests of one Durable Object share a promise, which those of a Worker can't.
 */
export class ContentFetcher extends DurableObject<Env> implements ContentFetcherRpc {
  readonly #inFlight = new Map<string, Promise<FetchedList | 'not_found'>>()
  /** By list, until the fetched content is stored. */
  readonly #keeping = new Map<string, Promise<void>>()
  readonly #sites = new Map<string, Promise<void>>()
  /** By the name of the index. */
  readonly #checks = new Map<string, Promise<IndexMark | 'missing'>>()
  /** By chain and txid. */
  readonly #searches = new Map<string, Promise<FollowedParts>>()
  /** The client that each of them is for, by the same names. */
  readonly #searchers = new Map<string, string>()
  readonly #queues = new Map<Blockchain, PQueue>()
  readonly #searchQueues = new Map<Blockchain, PQueue>()
  readonly #lists = new CachedLists(this.ctx.storage.sql)
  readonly #index = new PackIndex(this.ctx.storage.sql)
  readonly #packed = new PackedTransactions(this.env, { name: this.ctx.id.name, index: this.#index })

  /**
   * Returns `kept` without a request to the node for content that this object has stored in R2; a reader that did not find
   * it there calls again with `lost`. Memory is reserved for `client`, the address of the first reader. `record`: whether the
   * content of the list is stored as such, which that of some transactions of a longer list is not.
   */
  async fetchRecord(
    request: ContentRequest,
    kind: RecordKind,
    { client, lost = false, record = true }: { client?: string | undefined; lost?: boolean; record?: boolean } = {},
  ): Promise<FetcherAnswer> {
    return await answering(async () => {
      const list = listName(request)
      if (lost) this.#lists.loseRecord(list)
      const fetching = this.#inFlight.get(list)
      if (!fetching && kind === 'content' && record && this.#lists.get(list)?.record) return { outcome: 'kept' }
      const fetched = await (fetching ?? this.#begin(request, list, client, record))
      if (fetched === 'not_found') return { outcome: 'not_found' }
      const { content, transactions, form, share, rpcMs } = fetched
      const tier = fetched.asked ? 'miss' : 'r2'
      if (kind === 'tx') return sendParts(transactions, { form: { encoding: 'identity' }, tier, rpcMs }, share)
      return sendParts(content, { form, tier, rpcMs }, share)
    })
  }

  /** Checks whether the content of a list is a website, once for all requests: its blocks and the result are then in R2. */
  async keepSite(request: ContentRequest, { client }: { client?: string | undefined } = {}): Promise<SiteAnswer> {
    return await answering(async () => {
      const list = listName(request)
      await once(this.#sites, list, async () => {
        const { storeSite } = await import('../site/store-site.ts')
        if (!this.#lists.get(list)?.record && !this.#keeping.has(list)) await this.#begin(request, list, client)
        await this.#keeping.get(list)
        await storeSite(this.env, list, memoryOf(client))
      })
      return { outcome: 'kept' }
    })
  }

  /** Compares the content of a list with its index, once for all requests; the result is then in R2. */
  async checkIndex(
    request: ContentRequest,
    says: IndexDescription,
    { client }: { client?: string | undefined } = {},
  ): Promise<CheckAnswer> {
    return await answering(async () => {
      const outcome = await once(this.#checks, says.name, async () => {
        const { checkIndex } = await import('./check-index.ts')
        const list = listName(request)
        const kept = this.#lists.get(list)?.record === true
        const fetch = () => this.#inFlight.get(list) ?? this.#begin(request, list, client)
        return await checkIndex(this.env, says, { list, kept, fetch }, memoryOf(client))
      })
      return { outcome }
    })
  }

  /** Finds the later transactions of a doginal, once for all requests: one search at a time for a chain, in one object. */
  async followDoginal(
    begun: { blockchain: Blockchain; txid: string; missing: number },
    { client }: { client?: string | undefined } = {},
  ): Promise<FollowAnswer> {
    return await answering(async () => {
      const { blockchain, txid } = begun
      const name = `${blockchain}/${txid}`
      const followed = await once(this.#searches, name, async () => {
        const { followDoginal } = await import('../inscriptions/follow/follow-doginal.ts')
        const queue = queueIn(this.#searchQueues, blockchain, 1)
        const own = [...this.#searchers.values()].filter((other) => other === client).length
        if (queue.size >= SEARCHES_WAITING || own >= SEARCHES_OF_CLIENT) {
          throw unavailable('busy', 'Too many doginals are being searched for right now. Try again in a few seconds.')
        }
        if (client !== undefined) this.#searchers.set(name, client)
        const isTooLate = startWait()
        const search = queue.add(async () => {
          // Who asked has given up.
          if (isTooLate()) throw waitedTooLong()
          return await followDoginal(this.env, this.ctx, begun, client)
        })
        return await search.finally(() => this.#searchers.delete(name))
      })
      return { outcome: 'followed', followed }
    })
  }

  /** The places of those transactions that are in this object's part of the index. */
  async findPlaces(blockchain: Blockchain, txids: string[]): Promise<PackedPlace[]> {
    return this.#index.findPlaces(blockchain, txids)
  }

  async addPlaces(blockchain: Blockchain, places: PackedPlace[]): Promise<void> {
    this.#index.addPlaces(blockchain, places)
  }

  async forgetPack(pack: string): Promise<void> {
    this.#index.forgetPack(pack)
  }

  /** Deletes expired entries. */
  async sweep(time: number): Promise<void> {
    const oldest = time - CACHE_DAYS * DAY
    this.#index.forgetBelow(objectId(oldest, new Uint8Array(8)))
    this.#lists.forgetBefore(oldest)
  }

  #begin(
    request: ContentRequest,
    list: string,
    client: string | undefined,
    record = true,
  ): Promise<FetchedList | 'not_found'> {
    const queue = queueIn(this.#queues, request.blockchain, LISTS_AT_ONCE)
    if (queue.size >= LISTS_WAITING) {
      throw unavailable('busy', 'Too much content is being fetched right now. Try again in a few seconds.')
    }
    const fetching = Promise.withResolvers<FetchedList | 'not_found'>()
    const from = { env: this.env, packed: this.#packed, take: memoryOf(client) }
    const fetchAndKeep = async (): Promise<void> => {
      try {
        const fetched = await queue.add(() => fetchList(from, request, this.#lists.get(list)?.reads ?? []))
        fetching.resolve(fetched)
        if (fetched === 'not_found') return
        await this.#keep(request.blockchain, list, fetched, record)
        fetched.share?.release()
      } catch (error) {
        fetching.reject(error)
      } finally {
        this.#inFlight.delete(list)
      }
    }
    // Until it is stored, a late reader is served from this object's memory.
    this.#inFlight.set(list, fetching.promise)
    const keeping = fetchAndKeep().finally(() => this.#keeping.delete(list))
    this.#keeping.set(list, keeping)
    this.ctx.waitUntil(keeping)
    return fetching.promise
  }

  async #keep(blockchain: Blockchain, list: string, fetched: FetchedList, wanted: boolean): Promise<void> {
    const { gathered, content, form } = fetched
    try {
      await waitForDelivery(gathered.heldBytes)
      const reads = (await this.#keepTransactions(blockchain, fetched)) ?? []
      const known = this.#lists.get(list)?.record === true
      if (form.parts === 'wrong') await putListMark(this.env.BUCKET, { prefix: PARTS_PREFIX, list }, form.parts)
      const record = known || (wanted && (await admitToCache(this.env, 'chain', lengthOf(content), now())))
      if (record && !known) await putRecord(this.env.BUCKET, list, content, form)
      if (record || reads.length > 0) this.#lists.put(list, { record, reads }, now())
    } catch (error) {
      logOnceAMinute('error', 'content_not_kept', list, error)
    }
  }

  /** The packs that hold all transactions of a list, after those are stored that are in too many packs, or in none. */
  async #keepTransactions(blockchain: Blockchain, fetched: FetchedList): Promise<PackRead[] | undefined> {
    const { gathered, reads, unstored } = fetched
    if (unstored.length === 0) return reads
    const places = await this.#packed.findAll(blockchain, unstored)
    const shared = planPackReads(places, MAX_SHARED_READS - reads.length)
    const rest = unstored.filter((txid) => !shared.covered.has(txid))
    const all = [...reads, ...shared.reads]
    const transactions = rest.map((txid) => ({ txid, bytes: gathered.bytesOf(txid) }))
    const kept = await this.#packed.keep(blockchain, transactions, MAX_READS - all.length)
    return kept && all.length + kept.length <= MAX_READS ? [...all, ...kept] : undefined
  }
}

function queueIn(queues: Map<Blockchain, PQueue>, blockchain: Blockchain, concurrency: number): PQueue {
  const queue = queues.get(blockchain) ?? new PQueue({ concurrency })
  queues.set(blockchain, queue)
  return queue
}

/** What `work` answers, or the answer for its {@link AppError}. */
async function answering<Answer>(work: () => Promise<Answer>): Promise<Answer | ReturnType<typeof errorAnswer>> {
  try {
    return await work()
  } catch (error) {
    return errorAnswer(error)
  }
}

/** The result of the work with this name that is under way, or else begins. */
function once<Result>(underWay: Map<string, Promise<Result>>, name: string, begin: () => Promise<Result>) {
  const work = underWay.get(name) ?? begin().finally(() => underWay.delete(name))
  underWay.set(name, work)
  return work
}
