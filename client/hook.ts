import { GATEWAYS_RULE, parseGateways } from '../client-hook/gateways.ts'
import { startHook } from '../client-hook/start-hook.ts'
import type { StorageTarget } from '../protocol/chains.ts'
import { PARTS, parseBase } from './hook-parts.ts'
import { HooklineError } from './http/api-error.ts'
import type { ContentId } from './read-ipfs.ts'

/** The outcome for one element. */
export interface FillResult {
  element: HTMLElement
  status: 'filled' | 'failed'
  error?: Error
}

/** The part of a page's own Helia that is used: a blockstore. */
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
  /** Whether the browser stores verified content between visits. */
  readonly db: Promise<{ persistent: boolean }>
  /** The running IPFS node, or `error` if IPFS is not available. Never rejects. */
  readonly node: Promise<{ helia?: PageHelia; error?: Error }>
  /**
   * Makes the helper read IPFS through the page's own Helia.
   * @throws {TypeError} if it is not a Helia, {DOMException} `InvalidStateError` if a node already runs
   */
  use(helia: PageHelia): void
}

export interface HookOptions {
  /** Address of the API, used for data and, to show HTML, for `/frame`. Its data is verified, not trusted. */
  api: string | URL
  /** At most eight origins to ask after the API: other hosts of Hookline, and trustless IPFS gateways. */
  gateways?: readonly string[]
}

/**
 * The page helper of `hook.js` for bundlers. Returns what `window.hook` is there, but creates no global and dispatches
 * no events on the document.
 * @throws {HooklineError} `invalid_option` if there is no document, or if an address is invalid
 */
export function hook({ api, gateways = [] }: HookOptions): Hook {
  if (typeof document === 'undefined')
    throw new HooklineError('invalid_option', 'There is no document: the page helper runs in a browser page only.')
  const origins = parseGateways(gateways.join(' '))
  if (!origins) throw new HooklineError('invalid_option', `gateways ${GATEWAYS_RULE}.`)
  return startHook(parseBase(api), PARTS, undefined, false, origins).hook
}
