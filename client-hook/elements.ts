import type { StorageTarget } from '../protocol/chains.ts'
import { parseGateways } from './gateways.ts'
import { HookError } from './hook-error.ts'
import { essenceOf, type MediaKind, mediaKind, type SortedType } from './media-type.ts'

/** The attributes of an element after validation. */
export interface FillRequest extends SortedType {
  blockchain: StorageTarget
  mode: 'blob' | 'chunk'
  /**
   * Txids in lower case; for IPFS one entry with CID and path. Of what others wrote it is the name, and once that is read the txids
   * that it is made of.
   */
  sources: string[]
  /** Whether transactions of `sources` may hold no data of ours: set once what others wrote is read. */
  any?: boolean
  /** In a website on a chain: the page to open, or the file to show. */
  path: string
  /** As written, including parameters. */
  mediaType: string
  /** Whether to ignore what the browser has stored: `data-cache="reload"`. */
  reload: boolean
  sha256: string | undefined
  /** Origins to ask after the API host and before those of the script tag. */
  gateways: string[]
}

/** Most txids of an element. */
export const MAX_TXIDS = 15_000

/** The elements under `root` with the class `blockchain`. Case matters in quirks mode too. */
export function findElements(root: ParentNode, blockchain: string): HTMLElement[] {
  const query = root instanceof Document ? Document.prototype.querySelectorAll : root.querySelectorAll
  const found: NodeListOf<Element> = query.call(root, `.${blockchain}`)
  // SVG and MathML elements have no defined way to be filled, and some would run inserted text.
  return [...found].filter((element): element is HTMLElement => {
    // Form elements neither: their inputs can hide properties of the form.
    return (
      element instanceof HTMLElement && !(element instanceof HTMLFormElement) && element.classList.contains(blockchain)
    )
  })
}

/**
 * The attributes of an element, validated.
 * @throws {HookError} names the wrong attribute
 */
export function readElement(element: HTMLElement, blockchain: StorageTarget): FillRequest {
  const attribute = (name: string) => element.getAttribute(name)?.trim() ?? ''
  const mediaType = attribute('data-mimetype')
  const type = attribute('data-type') || attribute('type')
  // Filling sets `type` to the media type on some elements, which may be filled again later.
  const mode = type === '' || type === mediaType ? 'blob' : type
  if (mode !== 'blob' && mode !== 'chunk') throw invalid('type', type)
  const essence = essenceOf(mediaType)
  if (essence === undefined) throw invalid('data-mimetype')
  const sha256 = attribute('data-sha256').toLowerCase() || undefined
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256)) throw invalid('data-sha256')
  const reload = attribute('data-cache') === 'reload'
  const gateways = parseGateways(attribute('data-gateways'))
  if (!gateways) throw invalid('data-gateways')
  const source = attribute('data-src')
  const path = attribute('data-path')
  const sources = blockchain === 'IPFS' ? [ipfsPath(`${source}/${path}`)] : txids(source)
  return { blockchain, mode, sources, path, mediaType, reload, essence, kind: mediaKind(essence), sha256, gateways }
}

function txids(source: string): string[] {
  const list = source.split(',').map((txid) => txid.trim().toLowerCase())
  // What has one of these characters is a name of what others wrote, which a lazy part reads.
  if (list.length > MAX_TXIDS || !list.every((txid) => /^[0-9a-f]{64}$|[i:+]/.test(txid))) {
    throw invalid('data-src', list.length)
  }
  return list
}

function ipfsPath(source: string): string {
  const path = source.replace(/^(ipfs:\/\/|\/ipfs\/)/, '').replace(/\/+$/, '')
  if (!/^[A-Za-z0-9]+(\/|$)/.test(path)) throw invalid('data-src', 'IPFS')
  return path
}

function invalid(attribute: string, found: string | number = ''): HookError {
  // The attribute ends it, so that it never looks like a sentence.
  return new HookError('invalid_element', `${found} ${attribute}`)
}

/** Whether this element shows this kind of content in a frame of an opaque origin. */
export function needsFrame(element: Element, kind: MediaKind): boolean {
  const shows = /^(img|video|audio|source|track|embed|object|link|script|a)$/
  return element.localName === 'iframe' || (kind === 'html' && !shows.test(element.localName))
}
