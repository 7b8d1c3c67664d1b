import { isStorageTarget, STORAGE_TARGETS } from '../protocol/chains.ts'
import { hasBrotliStream } from '../reader/brotli/decode-with-stream.ts'
import { readChainContent } from './chain-content.ts'
import { inTime, openDatabase } from './database.ts'
import { download, refresh } from './download.ts'
import { findElements } from './elements.ts'
import { type FetchAny, fetchFrom } from './fetch-from.ts'
import { Filler, type FillResult } from './fill.ts'
import { HookError } from './hook-error.ts'
import type { IndexPart } from './index/part.ts'
import type { InsecurePart } from './insecure/part.ts'
import type { IpfsNode } from './ipfs/ipfs-node.ts'
import type { PageHelia } from './ipfs/page-node.ts'
import type { IpfsPart } from './ipfs/part.ts'
import type { LazyPart } from './lazy/part.ts'
import { MARK } from './mark.ts'
import type { LoadPart, PartTools } from './part-tools.ts'
import { explainRefusal, watchPolicy } from './policy-violations.ts'
import { createSha256 } from './sha256.ts'
import type { Shower, ShowPart } from './show/part.ts'
import type { SourcesPart } from './sources/part.ts'
import { trustedUrl } from './trusted-types.ts'

/** `window.hook`: fills the elements of one storage target, in the document or under `root`. */
export interface Hook {
  (blockchain: string, root?: ParentNode): Promise<FillResult[]>
  /** The detail of `dbReady`. */
  readonly db: Promise<{ persistent: boolean }>
  /** The running node, which is loaded for it, or `error` if IPFS is not available. Never rejects. */
  readonly node: Promise<NodeDetail>
  /**
   * Makes the helper read IPFS through the page's own Helia.
   * @throws {TypeError} if it is not a Helia, {DOMException} `InvalidStateError` once a node runs
   */
  use(helia: PageHelia): void
}

/** The running node: the helper's own Helia, or the page's. */
interface NodeDetail {
  helia?: IpfsNode['helia']
  error?: Error
}

/** What the helper loads on demand. */
export interface HookParts {
  show(): Promise<ShowPart>
  ipfs(): Promise<IpfsPart>
  lazy(): Promise<LazyPart>
  index(): Promise<IndexPart>
  insecure(): Promise<InsecurePart>
  sources(): Promise<SourcesPart>
  part: LoadPart
  /** The attributes of the script tag. */
  dataset: DOMStringMap
  /** The Brotli decoder, for browsers without one of their own. */
  brotli(): Promise<Response>
}

export interface StartedHook {
  hook: Hook
  filler: Filler
  /** Called when something has happened to a `<hookline-content>`. */
  changed(element: HTMLElement): void
  /**
   * Loads what the document will need, as soon as it is parsed; `watch`: fills all of its elements, those too that are
   * added later.
   */
  prepareDocument(watch?: boolean): Promise<void>
}

/**
 * Starts the helper of the API at `base` (no trailing slash). `announce` receives the details of `dbReady` and
 * `nodeReady`; `awaited`: the node waits for the page's own Helia; `gateways` are used after the API host.
 */
export function startHook(
  base: string,
  parts: HookParts,
  announce: (name: string, detail: object) => void = () => {},
  awaited = false,
  gateways: readonly string[] = [],
): StartedHook {
  watchPolicy()
  const sha256 = createSha256(retrying(parts.insecure))
  const tools = openDatabase().then((database): PartTools => {
    const fail: PartTools['fail'] = (...said) => new HookError(...said)
    return {
      ...parts,
      base,
      gateways,
      database,
      sha256,
      download,
      refresh,
      fetchFrom,
      fetchAny,
      explainRefusal,
      trustedUrl,
      fail,
    }
  })
  const lazy = retrying(parts.lazy)
  /** The error, with a sentence as its message where that can be loaded. */
  const explain = async (error: unknown): Promise<Error> => {
    const known = error instanceof Error ? error : new HookError('failed', String(error))
    if (known instanceof HookError && !known.message.endsWith('.')) {
      await inTime(lazy().then((part) => part.explain(known))).catch(() => {})
    }
    return known
  }
  const sources = retrying(async () => (await parts.sources()).start(await tools))
  const fetchAny: FetchAny = async (request) =>
    gateways[0] || request.gateways?.[0] ? (await sources())(request) : fetchFrom(base, request)
  const parsed = documentParsed()
  // After the scripts that may listen to this have run.
  const db = Promise.all([tools, parsed]).then(([{ database }]) => {
    const { persistent } = database
    announce('dbReady', { persistent })
    return { persistent }
  })

  const shower = retrying(async (): Promise<Shower> => {
    const part = await parts.show()
    return part.start(await tools, hasBrotliStream() ? undefined : wasm)
  })
  const wasm = retrying(parts.brotli)
  /** Begins to load the code that shows content while the content is being downloaded. */
  const prepare = (decodes = false) => {
    shower().catch(() => {})
    if (gateways[0]) sources().catch(() => {})
    if (decodes && !hasBrotliStream()) wasm().catch(() => {})
  }
  let settled = false
  let resolveNode = (_detail: NodeDetail) => {}
  const node = new Promise<NodeDetail>((resolve) => {
    resolveNode = resolve
  })
  /** Whether the page was told that a node can be used, though none is loaded. */
  let isTold = false
  const announceNode = (detail: NodeDetail) => {
    settled = true
    resolveNode(detail)
    void parsed.then(() => isTold || announce('nodeReady', detail))
  }
  let give = (_helia: PageHelia) => {}
  const given = new Promise<PageHelia>((resolve) => {
    give = resolve
  })
  const use = (helia: PageHelia) => {
    if (settled) throw new DOMException('', 'InvalidStateError')
    if (!helia?.blockstore?.get) throw new TypeError('No blockstore.get.')
    settled = true
    give(helia)
  }
  const ipfs = retrying(async (): Promise<IpfsNode> => {
    try {
      const part = await parts.ipfs()
      const started = await part.start(await tools, { given, awaited })
      announceNode({ helia: started.helia })
      return started
    } catch (cause) {
      const error = await explain(cause)
      announceNode({ error })
      throw error
    }
  })

  const index = retrying(parts.index)
  const filler = new Filler(
    sha256,
    async (request, options) => {
      const { blockchain, sources, mediaType, kind } = request
      const { serviceWorker } = navigator
      // Media that plays while it comes: in a frame, or by the author's worker, which may be registered now. 11 KB otherwise.
      if (
        serviceWorker &&
        (kind === 'image' || (options.element instanceof HTMLMediaElement && !(MARK in serviceWorker))
          ? serviceWorker.controller
          : /video|audio/.test(kind)) &&
        (await (await lazy()).stream(await tools, request, options, ipfs))
      )
        return undefined
      prepare(blockchain !== 'IPFS' && !NEVER_BROTLI.test(mediaType))
      if (blockchain === 'IPFS') return (await ipfs()).read(sources.join(), { ...request, ...options })
      const read = async (sources: readonly string[]) =>
        readChainContent(await tools, { ...request, blockchain, ...options, sources })
      if (/[i:+]/.test(sources.join())) {
        return { mediaType, bytes: await (await lazy()).readNamed(await tools, request, options, await shower()) }
      }
      const stored = await read(sources)
      // An index begins with this byte, and no Brotli stream does. An index is resolved only if it is the only txid
      // (docs/formats.md).
      const decoder = await shower()
      const bytes =
        stored[0] === 0x91 && !sources[1]
          ? await (await index())(stored, read, sha256, decoder)
          : await decoder.decode(stored)
      // A website begins with this byte, and no text does (docs/formats.md).
      const site =
        (options.site || request.path) &&
        bytes[1] === 0xa2 &&
        (await (await ipfs()).readCar(bytes, { ...request, ...options }))
      return site || { mediaType, bytes }
    },
    async (element, content, type) => (await shower()).show(element, content, type, lazy),
    retrying(async () => (await lazy()).createQueue()),
    explain,
  )

  const fill = async (blockchain: string, root: ParentNode = document): Promise<FillResult[]> => {
    if (!isStorageTarget(blockchain)) {
      throw await explain(new HookError('invalid_blockchain', `${String(blockchain)} name`))
    }
    await parsed
    const found = findElements(root, blockchain)
    const results = []
    while (found[0]) {
      results.push(filler.fill(found.splice(0, IN_A_TASK), blockchain))
      // A page with ten thousand elements is not held up by all of them at once.
      if (found[0]) await new Promise((resolve) => setTimeout(resolve))
    }
    return (await Promise.all(results)).flat()
  }
  const startNode = () => void ipfs().catch(() => {})
  const nodeOnDemand = {
    get() {
      startNode()
      return node
    },
  }
  return {
    hook: Object.freeze(
      Object.defineProperty(Object.assign(fill, { db, node, use, [MARK]: true }), 'node', nodeOnDemand),
    ),
    filler,
    changed: (element) => void lazy().then((part) => part.changed(element, filler), console.warn),
    async prepareDocument(watch) {
      await parsed
      const has = (target: string) => findElements(document, target).length > 0
      if (STORAGE_TARGETS.some(has)) prepare()
      if (awaited || has('IPFS')) startNode()
      else {
        isTold = true
        void db.then(() => announce('nodeReady', {}))
      }
      if (watch) (await lazy()).watch(filler)
    },
  }
}

/** Elements that one task begins to fill: more would take longer than 50 ms on a slow machine. */
const IN_A_TASK = 99

/** Media types whose files begin as no Brotli stream does (show/never-brotli.ts). */
const NEVER_BROTLI = /^image\/(png|jpeg)/

/** Calls `load` once, and again only after it has failed. */
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

/** Resolves when the document is parsed: all of its elements exist, and its deferred scripts have run. */
function documentParsed(): Promise<void> {
  return new Promise((resolve) => {
    const state: unknown = Object.getOwnPropertyDescriptor(Document.prototype, 'readyState')?.get?.call(document)
    if (state === 'loading') addEventListener('DOMContentLoaded', () => resolve(), { once: true })
    else resolve()
  })
}
