import { opReturnData } from '../../../protocol/op-return.ts'
import type { StrippedTransaction } from '../../../protocol/transaction.ts'
import { AppError } from '../../platform/http/errors.ts'
import { lengthOf } from './join-parts.ts'

/** The most bytes of a list's transactions other than their content: inputs, change, and outputs without data. */
const RAW_BYTES = 16 << 20
/** And never more than this many times what the content may have (docs/behaviour/content.md). */
const RAW_FACTOR = 4

interface Gathered {
  bytes: Uint8Array
  data: Uint8Array[]
}

/** The transactions of one list, added in any order from any source, each once. */
export class GatheredContent {
  readonly #byTxid = new Map<string, Gathered>()
  readonly #maxContentBytes: number
  #content = 0
  #raw = 0

  constructor(maxContentBytes: number) {
    this.#maxContentBytes = maxContentBytes
  }

  /** Bytes of transactions that are held. */
  get heldBytes(): number {
    return this.#raw
  }

  /** The most bytes of transactions that it holds. */
  get mostBytes(): number {
    return Math.min(RAW_FACTOR * this.#maxContentBytes, this.#maxContentBytes + RAW_BYTES)
  }

  has(txid: string): boolean {
    return this.#byTxid.has(txid)
  }

  /**
   * Adds a transaction under the txid of its hash; `false` if it has no data, so that the content does not exist.
   * @throws {AppError} 422 if the content is too large.
   */
  add({ txid, bytes, scripts }: StrippedTransaction): boolean {
    if (this.has(txid)) return true
    const data = opReturnData(scripts)
    if (!data) return false
    this.#content += lengthOf(data)
    this.#raw += bytes.length
    this.#refuseOversize(this.#content, this.#raw)
    this.#byTxid.set(txid, { bytes, data })
    return true
  }

  /** A transaction's bytes without witness; empty for one that was not added. */
  bytesOf(txid: string): Uint8Array {
    return this.#byTxid.get(txid)?.bytes ?? new Uint8Array(0)
  }

  /**
   * The transactions of the list in order, and the content that they hold, in parts. The same txid may be in the
   * list many times: it was fetched once and counts each time. @throws {AppError} 422.
   */
  inOrder(txids: readonly string[]): { transactions: Uint8Array[]; content: Uint8Array[] } {
    const all = txids.map((txid) => this.#byTxid.get(txid)).filter((entry) => entry !== undefined)
    const content = all.reduce((sum, { data }) => sum + lengthOf(data), 0)
    const raw = all.reduce((sum, { bytes }) => sum + bytes.length, 0)
    this.#refuseOversize(content, raw)
    return { transactions: all.map(({ bytes }) => bytes), content: all.flatMap(({ data }) => data) }
  }

  #refuseOversize(content: number, raw: number): void {
    if (content <= this.#maxContentBytes && raw <= this.mostBytes) return
    throw new AppError(422, 'content_too_large', 'The content is larger than this service serves.')
  }
}
