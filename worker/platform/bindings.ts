import type { ErrorCode } from '../../contract/error-codes.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import type { RawSettings } from './config/read-config.ts'
import type { AppError } from './http/errors.ts'

/** The RPC methods of a chain's agent. */
export interface ChainAgentRpc {
  wake(): Promise<void>
  noticeRestore(): Promise<number | undefined>
  markDatabaseAlert(act: 'claim' | 'release' | 'end'): Promise<boolean>
}

/** What the fetcher of content returns; `error` is a serialized {@link AppError}, `rpcMs` in milliseconds. */
export type FetcherAnswer =
  | {
      outcome: 'found'
      form: { encoding: 'br'; decodedBytes: number } | { encoding: 'identity' | 'oversize' }
      body: Uint8Array | ReadableStream<Uint8Array>
      /** Of the body, in bytes. */
      length: number
      /** `r2` when no request was sent to the node. */
      tier: 'r2' | 'miss'
      rpcMs: number
    }
  | { outcome: 'kept' }
  | { outcome: 'not_found' }
  | { outcome: 'error'; status: AppError['status']; code: ErrorCode; message: string; headers: Record<string, string> }

/**
 * The transactions of a doginal that were found, in order, of which the first `proven` are proven, the named one itself
 * counted; `missing` parts are behind them. `end` says why no more are.
 */
export interface FollowedParts {
  txids: string[]
  proven: number
  missing: number
  end: 'complete' | 'unproven' | 'chain_ends' | 'not_found' | 'too_many' | 'not_mined' | 'no_checkpoint'
}

/** Where a transaction without witness is stored: in a pack, named by its object id, at `offset`; in bytes. */
export interface PackedPlace {
  txid: string
  pack: string
  offset: number
  length: number
}

/** The RPC methods of the fetcher of content. */
export interface ContentFetcherRpc {
  fetchRecord(
    request: { blockchain: Blockchain; txids: string[] },
    kind: 'content' | 'tx',
    options?: { client?: string | undefined; lost?: boolean; record?: boolean },
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
  followDoginal(
    begun: { blockchain: Blockchain; txid: string; missing: number },
    options?: { client?: string | undefined },
  ): Promise<{ outcome: 'followed'; followed: FollowedParts } | Extract<FetcherAnswer, { outcome: 'error' }>>
  findPlaces(blockchain: Blockchain, txids: string[]): Promise<PackedPlace[]>
  addPlaces(blockchain: Blockchain, places: PackedPlace[]): Promise<void>
  forgetPack(pack: string): Promise<void>
  sweep(now: number): Promise<void>
}

/** The RPC methods of the merger of an item; both receive the item's object id. */
export interface ItemMergerRpc {
  begin(itemId: string): Promise<void>
  merge(itemId: string): Promise<void>
}

/** A namespace of objects with these methods. The classes implement them, so that callers need not import a class. */
type Objects<Methods> = DurableObjectNamespace<Rpc.DurableObjectBranded & Methods>

/** The bindings and settings that the platform passes to every request. */
export interface Env extends RawSettings {
  DB: D1Database
  BUCKET: R2Bucket
  CHAIN_AGENT: Objects<ChainAgentRpc>
  CONTENT_FETCHER: Objects<ContentFetcherRpc>
  ITEM_MERGER: Objects<ItemMergerRpc>
  /** Fetches from public addresses only. Bound outside of Cloudflare, where nothing else restricts `fetch` to them. */
  PUBLIC_FETCH?: Fetcher
  /** Bound where a second socket answers what is for the machine itself: this one does not then. */
  INTERNAL_SOCKET?: string
  /** Bytes of memory for contents that are read often. Bound outside of Cloudflare, where an isolate may have more than 128 MB. */
  CACHE_MEMORY?: string
  READ_LIMIT: RateLimit
  WRITE_LIMIT: RateLimit
  /** Its tag is the commit; empty where `npm run deploy` did not deploy. */
  DEPLOYMENT?: WorkerVersionMetadata
}
