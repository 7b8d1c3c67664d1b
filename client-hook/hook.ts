import { BLOCKCHAINS, STORAGE_TARGETS, type StorageTarget } from '../protocol/chains.ts'
import { hasBrotliStream } from '../reader/brotli/decode-with-stream.ts'
import { readChainContent } from './chain-content.ts'
import { openDatabase } from './database.ts'
import { ANONYMOUS, download, refresh } from './download.ts'
import { checkTarget, findElements } from './elements.ts'
import { Filler, type FillResult } from './fill.ts'
import { HookError } from './hook-error.ts'
import type { InsecurePart } from './insecure/part.ts'
import type { IpfsNode } from './ipfs/ipfs-node.ts'
import type { IpfsPart } from './ipfs/part.ts'
import { loadPart, type Part } from './load-part.ts'
import type { PartTools } from './part-tools.ts'
import { explainRefusal, watchPolicy } from './policy-violations.ts'
import { runningScript } from './script-element.ts'
import { createSha256 } from './sha256.ts'
import type { Shower, ShowPart } from './show/part.ts'
import { trustedUrl } from './trusted-types.ts'

// The build puts the names and hashes of the other files here.
declare const SHOW_PART: Part
declare const BROTLI_PART: Part
declare const IPFS_PART: Part
declare const INSECURE_PART: Part

/** `window.hook`: fills the elements of one storage target, in the document or under `root`. */
export interface Hook {
  (blockchain: string, root?: ParentNode): Promise<FillResult[]>
  /** What `dbReady` tells. */
  readonly db: Promise<{ persistent: boolean }>
  /** What `nodeReady` tells; with `error` where IPFS can't be had. */
  readonly node: Promise<{ error?: Error }>
}

const MARK = Symbol.for('hookline')

function start(script: HTMLScriptElement): void {
  const { dataset, src, nonce } = script
  const base = new URL(dataset.baseUrl ?? new URL(src).origin, location.href).href.replace(/\/+$/, '')
  watchPolicy()

  const sha256 = createSha256(retrying(() => loadPart<InsecurePart>(base, INSECURE_PART, nonce)))
  const tools = openDatabase().then((database): PartTools => {
    const fail = (code: string, message: string, cause?: unknown) => new HookError(code, message, { cause })
    return { base, database, sha256, download, refresh, explainRefusal, trustedUrl, fail }
  })
  const parsed = documentParsed()
  // Not before the scripts that may want to hear it have run.
  const db = Promise.all([tools, parsed]).then(([{ database }]) =>
    announce('dbReady', { persistent: database.persistent }),
  )

  const shower = retrying(async (): Promise<Shower> => {
    const part = await loadPart<ShowPart>(base, SHOW_PART, nonce)
    return part.start(await tools, hasBrotliStream() ? undefined : wasm)
  })
  const wasm = retrying(() => fetchPart(base, BROTLI_PART))
  /** Begins to load what will show content, while the content is on its way. */
  const prepare = (decodes: boolean) => {
    shower().catch(() => {})
    if (decodes && !hasBrotliStream()) wasm().catch(() => {})
  }
  let tellNode = (_detail: { error?: Error }) => {}
  const node = new Promise<{ error?: Error }>((resolve) => {
    tellNode = resolve
  }).then(async (detail) => {
    await parsed
    return announce('nodeReady', detail)
  })
  const ipfs = retrying(async (): Promise<IpfsNode> => {
    try {
      const part = await loadPart<IpfsPart>(base, IPFS_PART, nonce)
      const started = await part.start(await tools)
      tellNode({})
      return started
    } catch (error) {
      tellNode({ error: error instanceof Error ? error : new Error(String(error)) })
      throw error
    }
  })

  const filler = new Filler(
    sha256,
    async ({ blockchain, mode, sources, mediaType }, { site, onProgress }) => {
      prepare(blockchain !== 'IPFS')
      if (blockchain === 'IPFS') return (await ipfs()).read(sources.join(), { mediaType, site, onProgress })
      const bytes = await readChainContent(await tools, { blockchain, txids: sources, mode, onProgress })
      return { mediaType, bytes: await (await shower()).decode(bytes) }
    },
    async (element, content, type) => (await shower()).show(element, content, type),
  )

  const fill = async (blockchain: string, root: ParentNode = document): Promise<FillResult[]> => {
    const target = checkTarget(blockchain)
    await parsed
    return filler.fill(findElements(root, target), target)
  }
  const hook: Hook = Object.freeze(Object.assign(fill, { db, node, [MARK]: true }))
  Object.defineProperty(window, 'hook', { value: hook, enumerable: true })
  parsed.then(() => {
    const has = (target: StorageTarget) => findElements(document, target).length > 0
    const startNode = () => void ipfs().catch(() => {})
    if (STORAGE_TARGETS.some(has)) prepare(BLOCKCHAINS.some(has))
    if (has('IPFS')) startNode()
    else whenIdle(startNode)
  })
}

/** Runs `load` once, and again only after it has failed. */
function retrying<Result>(load: () => Promise<Result>): () => Promise<Result> {
  let loading: Promise<Result> | undefined
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

function fetchPart(base: string, { path, integrity }: Part): Promise<Response> {
  return fetch(base + path, { ...ANONYMOUS, integrity })
}

/** Resolves when the document is parsed: all of its elements are there, and its deferred scripts have run. */
function documentParsed(): Promise<void> {
  return new Promise((resolve) => {
    const state: unknown = Object.getOwnPropertyDescriptor(Document.prototype, 'readyState')?.get?.call(document)
    if (state === 'loading') addEventListener('DOMContentLoaded', () => resolve(), { once: true })
    else resolve()
  })
}

function announce<Detail extends object>(name: string, detail: Detail): Detail {
  EventTarget.prototype.dispatchEvent.call(document, new CustomEvent(name, { detail, bubbles: true }))
  return detail
}

/** Runs when the browser has nothing to do. */
function whenIdle(run: () => void): void {
  // Safari has no requestIdleCallback.
  if ('requestIdleCallback' in window) requestIdleCallback(run, { timeout: 10_000 })
  else setTimeout(run, 2000)
}

const script = runningScript()
const present: unknown = Object.hasOwn(window, 'hook') ? Reflect.get(window, 'hook') : undefined
if (!(typeof present === 'function' && MARK in present)) {
  if (script) start(script)
  else console.error('hook.js must be loaded by a script element with src that is not of type module.')
}
