import { concatBytes } from '../../protocol/bytes.ts'
import type { Transaction } from '../../protocol/transaction.ts'
import { inGroups } from '../../reader/in-groups.ts'
import type { NamedSource } from '../../reader/inscriptions/read-named.ts'
import { splitTransactions, type WholeTransaction } from '../../reader/inscriptions/split-transactions.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { transactionKey } from '../chain-content.ts'
import type { FillRequest } from '../elements.ts'
import { fetchVerified, type SourceAnswer, type SourceRequest } from '../fetch-from.ts'
import type { FollowProven, PartTools } from '../part-tools.ts'

/** What the service reads for one request, in bytes. */
const LIMIT = 8 << 20
/** Most txids in a URL, so that it stays below 8 KB. */
const MAX_IN_URL = 100

/** A transaction with its witness, which no txid covers; `answer`: of the source that sent it, unless it was kept. */
interface Whole {
  txid: string
  answer: SourceAnswer | undefined
}

/** How one element is filled. */
export interface NamedRequest extends Pick<FillRequest, 'gateways' | 'reload'>, Pick<SourceRequest, 'onProgress'> {
  blockchain: string
  signal: AbortSignal
}

const wholeKey = (txid: string) => `${transactionKey(txid)}#whole`

/** Transactions of any kind, from the browser's database or the sources, for one name. */
export class NamedTransactions implements NamedSource {
  readonly sha256: NamedSource['sha256']
  readonly follow: (txid: string) => Promise<readonly string[]>
  readonly #tools: PartTools
  readonly #request: NamedRequest
  /** By txid: answers whose witnesses were not found to be false. */
  readonly #answers = new Map<string, SourceAnswer>()
  /** Kept ones that were false. */
  readonly #spoiled = new Set<string>()
  #last: Whole | undefined

  constructor(tools: PartTools, request: NamedRequest, follow: FollowProven) {
    this.#tools = tools
    this.sha256 = tools.sha256
    this.follow = (txid) => follow(request, txid)
    this.#request = request
  }

  readonly read: NamedSource['read'] = async (txids, { witness }) => {
    if (!witness) return await this.#readStripped(txids)
    const found: Transaction[] = []
    for (const txid of txids) found.push(await this.#readWhole(txid))
    return found
  }

  /**
   * Has the witness that was read last come from another source, because it was false.
   * @throws `error` if there is none
   */
  async refuseLast(error: ReaderError): Promise<void> {
    if (!this.#last) throw error
    const { txid, answer } = this.#last
    if (answer) this.#answers.set(txid, await answer.refuse(error))
    else {
      this.#spoiled.add(txid)
      await this.#tools.database.delete([wholeKey(txid)])
    }
  }

  /** Keeps the witnesses, which were verified since. */
  keep(): void {
    const records = [...this.#answers].map(([txid, { chunks }]) => [wholeKey(txid), concatBytes(chunks)] as const)
    void this.#tools.database.put(records)
  }

  async #readWhole(txid: string): Promise<Transaction> {
    const key = wholeKey(txid)
    const [kept] = this.#request.reload || this.#spoiled.has(txid) ? [] : await this.#tools.database.get([key])
    const known = kept && (await this.#transactionIn(kept, txid))
    if (known) {
      this.#last = { txid, answer: undefined }
      return known
    }
    const path = `/v0/tx/${this.#request.blockchain}/${txid}?any=1&witness=1`
    for (let answer = this.#answers.get(txid) ?? (await this.#tools.fetchAny(this.#requestOf(path))); ; ) {
      const transaction = await this.#transactionIn(concatBytes(answer.chunks), txid)
      if (transaction) {
        this.#last = { txid, answer }
        this.#answers.set(txid, answer)
        return transaction
      }
      answer = await answer.refuse(new ReaderError('not_verified', `The answer for ${txid} is another transaction.`))
    }
  }

  async #readStripped(txids: readonly string[]): Promise<(Transaction | undefined)[]> {
    const { database, fetchAny } = this.#tools
    const { blockchain, reload } = this.#request
    const kept = reload ? [] : await database.get(txids.map(transactionKey))
    const found = new Map<string, Transaction>()
    for (const [index, txid] of txids.entries()) {
      const stored = kept[index]
      const transaction = stored && (await this.#transactionIn(stored, txid))
      if (transaction) found.set(txid, transaction)
    }
    const missing = txids.filter((txid) => !found.has(txid))
    for (const group of inGroups(missing, MAX_IN_URL)) {
      const request = this.#requestOf(`/v0/tx/${blockchain}/${group}?any=1`)
      const arrived = await fetchVerified(fetchAny, request, async (chunks) =>
        splitTransactions(concatBytes(chunks), group, this.sha256),
      ).catch((error: unknown) => {
        this.#last = undefined
        throw error
      })
      for (const { txid, transaction } of arrived) found.set(txid, transaction)
      void database.put(arrived.map(({ txid, bytes }) => [transactionKey(txid), bytes]))
    }
    return txids.map((txid) => found.get(txid))
  }

  #requestOf(path: string): SourceRequest {
    const { gateways, reload, signal, onProgress } = this.#request
    return { kind: 'chain', path, gateways, reload, signal, onProgress, limit: LIMIT }
  }

  async #transactionIn(bytes: Uint8Array, txid: string): Promise<Transaction | undefined> {
    const found: WholeTransaction[] = await splitTransactions(bytes, [txid], this.sha256).catch(() => [])
    return found[0]?.transaction
  }
}
