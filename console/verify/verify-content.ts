import type { StorageTarget } from '../../protocol/chains.ts'
import { kindOf } from '../core/media-type-of.ts'
import { loadHook } from './load-hook.ts'

/** Limits of the helper: 32 MiB decoded on a chain, 128 MiB on IPFS. */
const MAX_BYTES = { chain: 32 * 2 ** 20, IPFS: 128 * 2 ** 20 }

export interface Content {
  blockchain: StorageTarget
  txids?: readonly string[] | undefined
  cid?: string | null | undefined
  mimetype: string
  name: string
  size: number
}

export type Verdict =
  | { kind: 'verified'; at: number }
  | { kind: 'refused'; message: string }
  | { kind: 'unread'; message: string; code: string }

/** What this browser has proven of the transactions of content (docs/formats.md); `depth` counts blocks. */
export interface MinedProof {
  state: 'buried' | 'worked' | 'unproven'
  depth: number
}

/** Whether the helper can verify `content` in a browser. */
export function canVerify(content: Content): boolean {
  const limit = content.blockchain === 'IPFS' ? MAX_BYTES.IPFS : MAX_BYTES.chain
  return content.size <= limit && nameOf(content) !== undefined
}

/** The name of the content: its txids, or its CID. */
function nameOf({ blockchain, txids, cid }: Content): string | undefined {
  if (blockchain === 'IPFS') return cid ?? undefined
  return txids && txids.length > 0 ? txids.join(',') : undefined
}

/**
 * Shows `content` in `root`, verified by the helper: nothing is shown that does not match its name.
 * @param reload Bypasses every cache that the upload filled.
 */
export async function verifyContent(
  content: Content,
  root: HTMLElement,
  options: {
    reload?: boolean
    onProgress?: (loaded: number, total: number | undefined) => void
    /** Asks for it to be proven that content of a chain is mined, and is called once that was checked. */
    onProof?: (proof: MinedProof) => void
  } = {},
): Promise<Verdict> {
  const element = elementFor(content)
  if (options.reload) element.dataset.cache = 'reload'
  root.replaceChildren(element)
  element.addEventListener('hook:progress', (event) => {
    const detail: unknown = event instanceof CustomEvent ? event.detail : undefined
    if (isProgress(detail)) options.onProgress?.(detail.loaded, detail.total)
  })
  const { onProof } = options
  if (onProof && content.blockchain !== 'IPFS') {
    element.dataset.proof = 'note'
    element.addEventListener('hook:proof', (event) => {
      const detail: unknown = event instanceof CustomEvent ? event.detail : undefined
      if (isProof(detail)) onProof(detail)
    })
  }
  try {
    const hook = await loadHook()
    const [result] = await hook(content.blockchain, root)
    if (result?.status === 'filled') return { kind: 'verified', at: Math.floor(Date.now() / 1000) }
    const error: unknown = result?.error
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'not_filled'
    const message = error instanceof Error ? error.message : ''
    return code === 'not_verified' ? { kind: 'refused', message } : { kind: 'unread', message, code }
  } catch (error) {
    return { kind: 'unread', message: String(error), code: 'helper' }
  }
}

function elementFor(content: Content): HTMLElement {
  const kind = kindOf(content.mimetype)
  const tag = ({ picture: 'img', film: 'video', sound: 'audio', page: 'iframe', text: 'div', other: 'a' } as const)[
    kind
  ]
  const element = document.createElement(tag)
  element.className = content.blockchain
  element.dataset.type = 'blob'
  element.dataset.mimetype = content.mimetype
  element.dataset.src = nameOf(content) ?? ''
  if (element instanceof HTMLImageElement) element.alt = content.name
  else element.title = content.name
  // A long text scrolls in its box; this makes keys work too.
  if (kind === 'text') element.tabIndex = 0
  if (element instanceof HTMLMediaElement) element.controls = true
  if (element instanceof HTMLAnchorElement) {
    element.download = content.name
    element.textContent = content.name
  }
  return element
}

function isProgress(detail: unknown): detail is { loaded: number; total: number | undefined } {
  return typeof detail === 'object' && detail !== null && 'loaded' in detail && typeof detail.loaded === 'number'
}

function isProof(detail: unknown): detail is MinedProof {
  const known: readonly unknown[] = ['buried', 'worked', 'unproven'] satisfies MinedProof['state'][]
  const isObject = typeof detail === 'object' && detail !== null && 'state' in detail && 'depth' in detail
  return isObject && known.includes(detail.state) && typeof detail.depth === 'number'
}
