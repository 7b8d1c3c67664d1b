import type { ByteRange } from '../../contract/byte-range.ts'
import { typeOfBytes } from '../../protocol/inscriptions/type-of-bytes.ts'
import type { DecodeBrotli } from '../../reader/brotli/decode-content.ts'
import { MAX_DECODED_BYTES } from '../../reader/brotli/decode-content.ts'
import { type LiteralContent, openLiteralContent } from '../../reader/chain/literal-content.ts'
import {
  CHAIN_LIMITS,
  type ChainReader,
  readTransactionData,
  type TransactionStore,
} from '../../reader/chain/read-chain-content.ts'
import { type DecodedContent, readDecodedContent } from '../../reader/chain/read-content.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { OpenContent, Tools } from './content.ts'
import { downloadFor } from './download.ts'
import { type Attempt, firstOf } from './first-of.ts'
import type { Route } from './route.ts'

type ChainRoute = Extract<Route, { kind: 'chain' }>

/** What reads content of transactions. */
export interface ChainTools extends Tools {
  decode: DecodeBrotli
  transactions?: TransactionStore | undefined
  /** Opens a file of a website; not there in the worker for chains alone. */
  openSiteFile?(content: Uint8Array, path: string): Promise<OpenContent>
}

/** Bytes of decoded content that stay for the next range of it. */
const MAX_KEPT_BYTES = 48 << 20

/** Content of which is known whether ranges of it can be read alone. */
const MAX_LITERALS = 256

/**
 * Content of transactions. What is stored uncompressed is read by the transactions of a range; other content whole, of which the
 * last ones stay, as a player asks for many ranges of one.
 */
export class ChainContents {
  readonly #tools: ChainTools
  readonly #kept = new Map<string, Promise<DecodedContent>>()
  readonly #sizes = new Map<string, number>()
  readonly #literals = new Map<string, Promise<LiteralContent | undefined>>()

  constructor(tools: ChainTools) {
    this.#tools = tools
  }

  /** The content, or the file at the path of a website in it. @throws {ReaderError} */
  async open(route: ChainRoute, signal: AbortSignal): Promise<OpenContent> {
    const { openSiteFile } = this.#tools
    if (route.path !== '' && !openSiteFile)
      throw new ReaderError('unsupported', 'Files of a website are read by hookline-worker.js, not by this one.')
    const literal = route.path === '' ? await this.#literal(route) : undefined
    if (literal) return this.#part(route, literal, signal)
    const { bytes, type } = await this.#content(route)
    if (route.path !== '' && openSiteFile) return await openSiteFile(bytes, route.path)
    async function* read({ start, end }: ByteRange) {
      for (let at = start; at <= end; at += STEP) yield bytes.subarray(at, Math.min(at + STEP, end + 1))
    }
    return { size: bytes.length, etag: `"${route.txids.at(-1)}"`, type: type ?? typeOfBytes(bytes), read }
  }

  #part(route: ChainRoute, { size, read }: LiteralContent, signal: AbortSignal): OpenContent {
    const etag = `"${route.txids.at(-1)}"`
    return { size, etag, type: undefined, read: (range) => read(range, (txids) => this.#data(route, txids, signal)) }
  }

  #literal(route: ChainRoute): Promise<LiteralContent | undefined> {
    const key = `${route.blockchain}/${route.txids}`
    const known = this.#literals.get(key)
    if (known) return known
    const opening = openLiteralContent(route.txids, (txids) => this.#data(route, txids, new AbortController().signal))
    this.#literals.set(key, opening)
    opening.catch(() => this.#literals.delete(key))
    for (const oldest of this.#literals.keys()) {
      if (this.#literals.size <= MAX_LITERALS) break
      this.#literals.delete(oldest)
    }
    return opening
  }

  async #data({ blockchain }: ChainRoute, txids: readonly string[], signal: AbortSignal): Promise<Uint8Array[]> {
    const { result } = await firstOf(this.#tools.hosts, signal, (api, attempt) =>
      readTransactionData(this.#reader(api, attempt), { blockchain, txids }),
    )
    return result
  }

  #reader(api: string, attempt: Attempt): ChainReader {
    const { sha256, transactions: store } = this.#tools
    return { api, download: downloadFor(this.#tools, attempt), sha256, store, limits: CHAIN_LIMITS }
  }

  #content({ blockchain, txids }: ChainRoute): Promise<DecodedContent> {
    const key = `${blockchain}/${txids}`
    const kept = this.#kept.get(key)
    if (kept) {
      // The last one that was used is the last one to go.
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      return kept
    }
    const reading = this.#read(blockchain, txids)
    this.#kept.set(key, reading)
    reading.then(
      ({ bytes }) => this.#trim(key, bytes.length),
      () => this.#forget(key),
    )
    return reading
  }

  async #read(blockchain: ChainRoute['blockchain'], txids: readonly string[]) {
    const { decode, hosts } = this.#tools
    // Not ended with one request for it: others may wait for the same.
    const { result } = await firstOf(hosts, new AbortController().signal, (api, attempt) =>
      readDecodedContent(this.#reader(api, attempt), { blockchain, txids }, { decode, maxBytes: MAX_DECODED_BYTES }),
    )
    return result
  }

  #trim(key: string, size: number): void {
    this.#sizes.set(key, size)
    let sum = 0
    for (const one of this.#sizes.values()) sum += one
    for (const oldest of this.#kept.keys()) {
      if (sum <= MAX_KEPT_BYTES) return
      sum -= this.#sizes.get(oldest) ?? 0
      if (this.#sizes.has(oldest)) this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    this.#kept.delete(key)
    this.#sizes.delete(key)
  }
}

/** Bytes of one piece of a body. */
const STEP = 256 * 1024
