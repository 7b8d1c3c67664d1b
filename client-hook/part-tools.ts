import type { DecodeBrotli } from '../reader/brotli/decode-content.ts'
import type { Work } from '../reader/proof/check-headers.ts'
import type { ReaderErrorCode } from '../reader/reader-error.ts'
import type { Content, Media } from './content.ts'
import type { Database } from './database.ts'
import type { download, refresh } from './download.ts'
import type { FillRequest } from './elements.ts'
import type { FetchAny, fetchFrom } from './fetch-from.ts'
import type { HookError } from './hook-error.ts'
import type { explainRefusal } from './policy-violations.ts'
import type { Sha256 } from './sha256.ts'
import type { trustedUrl } from './trusted-types.ts'

/** What only elements with `data-proof` need. */
export interface ProofPart {
  start(tools: PartTools): Prover
}

export interface Prover {
  /** Shows content as far as `data-proof` of its element, or of the script tag, allows. Rejects where it does not. */
  prove(element: HTMLElement, request: FillRequest, show: () => Promise<void>): Promise<void>
  follow: FollowProven
}

/**
 * The later transactions of the doginal that `txid` begins, in order, each of which is `buried` or `worked 6`: as many as a source
 * knows of. They are in the database then.
 * @throws {HookError} `not_proven` where one is not, and as fetching
 */
export type FollowProven = (
  request: Pick<FillRequest, 'gateways' | 'reload'> & { signal: AbortSignal },
  txid: string,
) => Promise<readonly string[]>

/**
 * The content of an inscription, a doginal or a stamp, verified and decoded (docs/formats.md, "What others wrote"). The media
 * type that the chain says is of no use here: the element's own attributes decide how it is shown. Of `request` the sources
 * become the txids that it is made of.
 * @throws {HookError} `invalid_element`, `no_such_inscription`, `incomplete`, `not_verified`, `not_proven`, `too_large`, and as fetching
 */
export type NamedPart = (
  tools: PartTools,
  request: FillRequest,
  options: { signal: AbortSignal; onProgress(loaded: number, total: number | undefined): void },
  decoder: { decodeBrotli: DecodeBrotli; follow: FollowProven },
) => Promise<Uint8Array<ArrayBuffer>>

/** Shows HTML and sites on a host of their own, whose service worker asks this page for everything. */
export interface FramesPart {
  /**
   * Resolves to whether that could be tried: `false` leaves the frame to be shown in another way.
   * @throws {HookError} if the site cannot be shown
   */
  open(tools: PartTools, frame: HTMLIFrameElement, content: Content): Promise<boolean>
}

/** What of the IPFS node opens files that are read in parts; undefined for one that is a single block. */
export interface MediaOfIpfs {
  openMedia(
    source: string,
    options: FillRequest & { signal: AbortSignal; site: boolean; onProgress(): void },
  ): Promise<Media | undefined>
}

/** Shows media that plays while it comes, and seeks. */
export interface StreamsPart {
  /**
   * Resolves to whether it is shown: `false` leaves the element to be filled with the whole content.
   * @throws {Error} with a `code`, as filling does
   */
  show(
    tools: PartTools,
    request: FillRequest,
    options: { element: HTMLElement; signal: AbortSignal },
    ipfs: () => Promise<MediaOfIpfs>,
  ): Promise<boolean>
}

/** Loads a part that only another part names, by its SHA-256 in base64. */
export interface LoadPart {
  (name: 'proof', sha256: string): () => Promise<ProofPart>
  (name: 'named', sha256: string): () => Promise<NamedPart>
  (name: 'frames', sha256: string): () => Promise<FramesPart>
  (name: 'streams', sha256: string): () => Promise<StreamsPart>
  /** Source of the function that shows a site in `/frame`, where there is no host of its own for it. */
  (name: 'site', sha256: string): () => Promise<string>
  (name: 'scrypt', sha256: string): () => Promise<Work | undefined>
}

/** What the helper passes to its lazy parts, so that they need no second copy of its code and state. */
export interface PartTools {
  /** The API host, without a slash at the end. */
  base: string
  /** Origins to ask after the API host. */
  gateways: readonly string[]
  database: Database
  sha256: Sha256
  download: typeof download
  refresh: typeof refresh
  fetchFrom: typeof fetchFrom
  fetchAny: FetchAny
  explainRefusal: typeof explainRefusal
  trustedUrl: typeof trustedUrl
  part: LoadPart
  /** The attributes of the script tag. */
  dataset: DOMStringMap
  fail(code: ReaderErrorCode, message: string, cause?: unknown, directive?: string): HookError
}
