import { GATEWAYS_RULE, parseGateways } from '../client-hook/gateways.ts'
import { startHook } from '../client-hook/start-hook.ts'
import type { StorageTarget } from '../protocol/chains.ts'
import { PARTS, parseBase } from './hook-parts.ts'
import { HooklineError } from './http/api-error.ts'
import type { ContentId } from './read-ipfs.ts'

/** How one element ended. */
export interface FillResult {
  element: HTMLElement
  status: 'filled' | 'failed'
  error?: Error
}

/** What is used of a page's own Helia: a blockstore that is asked by CID. */
export interface PageHelia {
  blockstore: {
    get(
      cid: ContentId,
      options: { signal: AbortSignal },
    ): AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Promise<Uint8Array>
  }
}

/** The page helper, `window.hook` of `hook.js`: fills the elements of one storage target, in the document or under `root`. */
export interface Hook {
  (blockchain: StorageTarget, root?: ParentNode): Promise<FillResult[]>
  /** Whether the browser keeps what was verified. */
  readonly db: Promise<{ persistent: boolean }>
  /** The IPFS node once it runs; with `error` where IPFS can't be had. Never rejects. */
  readonly node: Promise<{ helia?: PageHelia; error?: Error }>
  /**
   * Has the helper read IPFS by the page's own Helia. @throws {TypeError} for what is none, {DOMException}
   * `InvalidStateError` once a node runs
   */
  use(helia: PageHelia): void
}

export interface HookOptions {
  /** Address of the API, which is asked for data, and for `/frame` where HTML is shown. Nothing that it says is believed. */
  api: string | URL
  /** At most eight origins that are asked behind the API: other hosts of Hookline, and trustless gateways of IPFS. */
  gateways?: readonly string[]
}

/**
 * The page helper of `hook.js` for bundlers: returns what `window.hook` is there, makes no global and sends no events
 * to the document. @throws {HooklineError} `invalid_option` where there is no document, or for an address that is none.
 */
export function hook({ api, gateways = [] }: HookOptions): Hook {
  if (typeof document === 'undefined') throw new HooklineError('invalid_option', 'There is no document to fill here.')
  const origins = parseGateways(gateways.join(' '))
  if (!origins) throw new HooklineError('invalid_option', `gateways ${GATEWAYS_RULE}.`)
  return startHook(parseBase(api), PARTS, undefined, false, origins).hook
}
