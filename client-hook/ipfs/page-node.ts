import type { CID } from 'multiformats/cid'
import { ReaderError } from '../../reader/reader-error.ts'
import type { PartTools } from '../part-tools.ts'
import type { CachedBlocks } from './block-store.ts'
import { readBlock } from './read-block.ts'

/** What is used of a page's own Helia, of any version: before the seventh, `get` resolved to the whole block. */
export interface PageHelia {
  blockstore: {
    get(
      cid: CID,
      options: { signal: AbortSignal },
    ): AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Promise<Uint8Array>
  }
}

/** What the page says about a Helia of its own. */
export interface PageNode {
  /** Resolves when the page gives one to `window.hook.use`. */
  given: Promise<PageHelia>
  /** Whether the helper waits for it: `data-node="page"`. */
  awaited: boolean
}

export interface PageReadOptions {
  /** Whether what the browser keeps does not count. */
  reload: boolean
  signal: AbortSignal
  onProgress(loaded: number, total: number | undefined): void
}

/** A page that says that it has a node of its own, and gives none, is waited for so long, in ms. */
const GIVEN_TIMEOUT_MS = 30_000
/** A page's node that brings no block for so long is given up, in ms: it may look for peers first. */
const BLOCK_TIMEOUT_MS = 60_000

/** @throws {HookError} `timeout` */
export function waitForPage({ fail }: PartTools, { given }: PageNode): Promise<PageHelia> {
  return inTime(given, GIVEN_TIMEOUT_MS, () => fail('timeout', 'The page gave no Helia to window.hook.use in 30 s.'))
}

/** Blocks by the page's node. They are kept as the helper's own are, and hashed when they are put there. */
export function readFromPage(
  helia: PageHelia,
  store: CachedBlocks,
  { reload, signal, onProgress }: PageReadOptions,
): (cid: CID) => Promise<Uint8Array> {
  let loaded = 0
  const ask = async (cid: CID) => {
    const block = await helia.blockstore.get(cid, { signal })
    return block instanceof Uint8Array ? block : readBlock(cid, block)
  }
  return async (cid) => {
    if (!reload && (await store.has(cid))) return readBlock(cid, store.get(cid))
    const late = () => new ReaderError('timeout', `The page's node has not brought block ${cid} in 60 s.`)
    const bytes = await inTime(ask(cid), BLOCK_TIMEOUT_MS, late)
    await store.put(cid, bytes)
    loaded += bytes.length
    onProgress(loaded, undefined)
    return bytes
  }
}

async function inTime<Value>(promise: Promise<Value>, ms: number, late: () => Error): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
