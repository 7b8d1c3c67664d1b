import type { ErrorCode } from '../../contract/error-codes.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import type { RawSettings } from './config/read-config.ts'
import type { AppError } from './http/errors.ts'

/** The agent of a chain, as others call it. */
export interface ChainAgentRpc {
  wake(): Promise<void>
  noticeRestore(): Promise<void>
}

/** What the fetcher of content answers with; `error` is an {@link AppError} in transport, `rpcMs` milliseconds. */
export type FetcherAnswer =
  | {
      outcome: 'found'
      form: { encoding: 'br'; decodedBytes: number } | { encoding: 'identity' | 'oversize' }
      body: Uint8Array | ReadableStream<Uint8Array>
      /** Of the body, in bytes. */
      length: number
      /** `r2` when the node was not asked. */
      tier: 'r2' | 'miss'
      rpcMs: number
    }
  | { outcome: 'kept' }
  | { outcome: 'not_found' }
  | { outcome: 'error'; status: AppError['status']; code: ErrorCode; message: string; headers: Record<string, string> }

/** Where a transaction without witness lies: in a pack, an object id, from `offset` on; in bytes. */
export interface PackedPlace {
  txid: string
  pack: string
  offset: number
  length: number
}

/** The fetcher of content, as others call it. */
export interface ContentFetcherRpc {
  fetchRecord(
    request: { blockchain: Blockchain; txids: string[] },
    kind: 'content' | 'tx',
    options?: { client?: string | undefined; lost?: boolean },
  ): Promise<FetcherAnswer>
  keepSite(
    request: { blockchain: Blockchain; txids: string[] },
    options?: { client?: string | undefined },
  ): Promise<{ outcome: 'kept' } | Extract<FetcherAnswer, { outcome: 'not_found' | 'error' }>>
  checkIndex(
    parts: { blockchain: Blockchain; txids: string[] },
    says: { name: string; size: number; sha256: string; encoding: 'br' | 'identity' },
    options?: { client?: string | undefined },
  ): Promise<{ outcome: 'holds' | 'wrong' | 'missing' } | Extract<FetcherAnswer, { outcome: 'error' }>>
  findPlaces(blockchain: Blockchain, txids: string[]): Promise<PackedPlace[]>
  addPlaces(blockchain: Blockchain, places: PackedPlace[]): Promise<void>
  forgetPack(pack: string): Promise<void>
  sweep(now: number): Promise<void>
}

/** The merger of an item, as others call it; both with the item's object id. */
export interface ItemMergerRpc {
  begin(itemId: string): Promise<void>
  merge(itemId: string): Promise<void>
}

/** Objects of a class that has these methods. The classes implement them, so that nobody has to import a class. */
type Objects<Methods> = DurableObjectNamespace<Rpc.DurableObjectBranded & Methods>

/** What the platform hands to every request. */
export interface Env extends RawSettings {
  DB: D1Database
  BUCKET: R2Bucket
  CHAIN_AGENT: Objects<ChainAgentRpc>
  CONTENT_FETCHER: Objects<ContentFetcherRpc>
  ITEM_MERGER: Objects<ItemMergerRpc>
  /** Fetches from public addresses only; there beside Cloudflare, where nothing else keeps `fetch` to them. */
  PUBLIC_FETCH?: Fetcher
  READ_LIMIT: RateLimit
  WRITE_LIMIT: RateLimit
}
