import type { Blockchain } from '../../../protocol/chains.ts'
import type { StrippedTransaction } from '../../../protocol/transaction.ts'
import { readAhead } from '../../../reader/read-ahead.ts'
import type { Env, PackedPlace } from '../../platform/bindings.ts'
import { now } from '../../platform/clock.ts'
import { admitToCache } from '../cache/admit-to-cache.ts'
import { FETCHERS, fetcherOfTxid } from './fetcher-name.ts'
import type { PackIndex } from './pack-index.ts'
import { makePacks, putPack, readPack } from './packs.ts'
import type { PackRead } from './plan-pack-reads.ts'

/** Packs on their way from R2 at a time: each is in memory whole. */
const READS_AT_ONCE = 4
/** The bytes that a transaction counts in addition to its own: its row in the index. */
const ROW_BYTES = 512

/**
 * The transactions of a chain that are stored in R2, for one fetcher, which has a part of the index itself. They are stored
 * beside the records of lists because another order of 1,000 transactions, or `GET /v0/tx`, needs eight requests to the node
 * without them (`cold/1000`) and one read of R2 with them. Lists in always new order stored 7.8 MB in ten minutes of
 * `npm run bench:hostile`.
 */
export class PackedTransactions {
  readonly #env: Env
  readonly #own: { name: string | undefined; index: PackIndex }

  constructor(env: Env, own: { name: string | undefined; index: PackIndex }) {
    this.#env = env
    this.#own = own
  }

  /**
   * The places of transactions. If neither this fetcher's part of the index nor that of the first transaction has any, no other
   * part is queried: calling up to fifteen parts for transactions that are hardly there is slower than the node.
   */
  async find(blockchain: Blockchain, txids: readonly string[]): Promise<PackedPlace[]> {
    const [first] = txids
    if (first === undefined) return []
    const sampled = new Set([this.#own.name, fetcherOfTxid(first)])
    const sample = txids.filter((txid) => sampled.has(fetcherOfTxid(txid)))
    const found = await this.findAll(blockchain, sample)
    if (found.length === 0 || sample.length === txids.length) return found
    return await this.findAll(blockchain, txids)
  }

  /** The places of transactions, by all parts of the index. */
  async findAll(blockchain: Blockchain, txids: readonly string[]): Promise<PackedPlace[]> {
    const asked = [...this.#byFetcher(txids, (txid) => txid)]
    const found = await Promise.all(
      asked.map(async ([name, theirs]) => await this.#indexOf(name).findPlaces(blockchain, theirs)),
    )
    return found.flat()
  }

  /**
   * What these packs hold, pack by pack; one that is not there is left out and forgotten.
   * @throws what R2 throws.
   */
  async *read(
    blockchain: Blockchain,
    reads: readonly PackRead[],
  ): AsyncGenerator<{ read: PackRead; transactions: StrippedTransaction[] }> {
    const readOne = async (read: PackRead) => ({
      read,
      transactions: await readPack(this.#env.BUCKET, blockchain, read),
    })
    for await (const { read, transactions } of readAhead(reads, READS_AT_ONCE, readOne)) {
      if (transactions) yield { read, transactions }
      else await this.forget(read.pack)
    }
  }

  /**
   * Stores transactions as new packs and returns their places; `undefined` if the cache did not admit all. A transaction that
   * has a place is not moved.
   */
  async keep(
    blockchain: Blockchain,
    transactions: readonly { txid: string; bytes: Uint8Array }[],
    maxPacks: number,
  ): Promise<PackRead[] | undefined> {
    const reads: PackRead[] = []
    for (const pack of makePacks(transactions, maxPacks, now())) {
      const { id, bytes, places } = pack
      if (!(await admitToCache(this.#env, 'chain', bytes.length + ROW_BYTES * places.length, now()))) return undefined
      await putPack(this.#env.BUCKET, blockchain, pack)
      await this.#addPlaces(blockchain, places)
      reads.push({ pack: id, start: 0, end: bytes.length })
    }
    return reads
  }

  async #addPlaces(blockchain: Blockchain, places: readonly PackedPlace[]): Promise<void> {
    const byFetcher = [...this.#byFetcher(places, ({ txid }) => txid)]
    await Promise.all(byFetcher.map(async ([name, theirs]) => await this.#indexOf(name).addPlaces(blockchain, theirs)))
  }

  /** Forgets a pack that is not there, or does not hold what the index says: its transactions are stored again. */
  async forget(pack: string): Promise<void> {
    await Promise.all(
      Array.from({ length: FETCHERS }, async (_, number) => await this.#indexOf(String(number)).forgetPack(pack)),
    )
  }

  /** The part of the index that the fetcher with this name has. */
  #indexOf(name: string): PackIndex | ReturnType<Env['CONTENT_FETCHER']['getByName']> {
    return name === this.#own.name ? this.#own.index : this.#env.CONTENT_FETCHER.getByName(name)
  }

  #byFetcher<Entry>(entries: readonly Entry[], txidOf: (entry: Entry) => string): Map<string, Entry[]> {
    return Map.groupBy(entries, (entry) => fetcherOfTxid(txidOf(entry)))
  }
}
