import type { CID } from 'multiformats/cid'
import { ReaderError } from '../../reader/reader-error.ts'
import type { PartTools } from '../part-tools.ts'
import type { CachedBlocks } from './block-store.ts'
import { readBlock } from './read-block.ts'

/** The part of a page's own Helia that is used, of any version: before version 7, `get` resolved to the whole block. */
export interface PageHelia {
  blockstore: {
    get(
      cid: CID,
      options: { signal: AbortSignal },
    ): AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Promise<Uint8Array>
  }
}

/** The page's settings for a Helia of its own. */
export interface PageNode {
  /** Resolves when the page passes one to `window.hook.use`. */
  given: Promise<PageHelia>
  /** Whether the helper waits for it: `data-node="page"`. */
  awaited: boolean
}

export interface PageReadOptions {
  /** Whether to ignore what the browser has stored. */
  reload: boolean
  signal: AbortSignal
  onProgress(loaded: number, total: number | undefined): void
}

/** Milliseconds to wait for a page that announces its own node but passes none. */
const GIVEN_TIMEOUT_MS = 30_000
/** Milliseconds to wait for a block from the page's node, which may have to find peers first. */
const BLOCK_TIMEOUT_MS = 60_000

/** @throws {HookError} `timeout` */
export function waitForPage({ fail }: PartTools, { given }: PageNode): Promise<PageHelia> {
  return inTime(given, GIVEN_TIMEOUT_MS, () =>
    fail('timeout', 'The page did not call window.hook.use with a Helia within 30 s.'),
  )
}

/** Reads blocks from the page's node. They are verified and stored like the helper's own. */
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
    const late = () => new ReaderError('timeout', `The page's node did not return block ${cid} within 60 s.`)
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
