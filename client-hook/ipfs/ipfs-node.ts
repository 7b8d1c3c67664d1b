import type { FetchRequest } from '../../reader/fetch-bytes.ts'
import { blockHashes } from '../../reader/ipfs/block-hashes.ts'
import type { IpfsReader } from '../../reader/ipfs/block-source.ts'
import { IPFS_LIMITS } from '../../reader/ipfs/ipfs-limits.ts'
import { openIpfsFile } from '../../reader/ipfs/open-ipfs.ts'
import { readWhole } from '../../reader/read-whole.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { Content } from '../content.ts'
import type { PartTools } from '../part-tools.ts'
import { KeptBlocks } from './kept-blocks.ts'
import { readSite } from './read-site.ts'
import { reloadTools } from './reload-tools.ts'

/** Reads IPFS for the page. */
export interface IpfsNode {
  /** The verified bytes of `<cid>[/path]`. */
  read(source: string, options: IpfsReadOptions): Promise<Content>
}

interface IpfsReadOptions {
  mediaType: string
  /** Whether all of the directory that a page lies in is wanted with it. */
  site: boolean
  /** Whether what the browser keeps does not count. */
  reload: boolean
  signal: AbortSignal
  onProgress(loaded: number, total: number | undefined): void
}

/** Bytes of one file, and of all that is shown as one site. */
const MAX_BYTES = 128 << 20
const LIMITS = {
  ...IPFS_LIMITS,
  maxNodes: 1 << 17,
  maxFileBytes: MAX_BYTES,
  maxCarBytes: MAX_BYTES + (8 << 20),
  maxEntries: 10_000,
}

/** The reader with the API host as its one gateway, and the page's database as its block store. */
export function startIpfsNode(tools: PartTools): IpfsNode {
  const { base, sha256, refresh, fail } = tools
  const hashes = blockHashes(sha256)

  const readerOf = (
    store: KeptBlocks,
    download: PartTools['download'],
    { signal, onProgress }: IpfsReadOptions,
  ): IpfsReader => ({
    gateway: base,
    async *download({ url, maxBytes }: FetchRequest) {
      const progress = url.includes('?format=car') ? { onProgress } : {}
      try {
        yield* await download(url, { limit: maxBytes, signal, ...progress })
      } catch (error) {
        throw isHookError(error) ? new ReaderError(error.code, error.message, error) : error
      }
    },
    signal,
    // The browser's cache would return it again and again.
    onMismatch: refresh,
    hashes,
    store,
    limits: LIMITS,
  })

  const readFile = async (reader: IpfsReader, source: string, mediaType: string): Promise<Content> => {
    const file = await openIpfsFile(reader, source)
    return { mediaType, bytes: await readWhole(file.stream()) }
  }

  return {
    async read(source, options) {
      const { database, download } = options.reload ? reloadTools(tools) : tools
      const store = new KeptBlocks(database)
      const reader = readerOf(store, download, options)
      const { mediaType, site } = options
      try {
        if (!site) return await readFile(reader, source, mediaType)
        try {
          return await readSite(reader, source, mediaType, MAX_BYTES)
        } catch (error) {
          // One page of a site that is too large as a whole is shown by itself.
          if (!(error instanceof ReaderError) || error.code !== 'too_large') throw error
          return await readFile(reader, source, mediaType)
        }
      } catch (error) {
        if (!(error instanceof ReaderError)) throw error
        if (isHookError(error.cause)) throw error.cause
        throw fail(error.code === 'invalid_source' ? 'invalid_element' : error.code, error.message, error)
      } finally {
        store.save()
      }
    },
  }
}

/** Errors of the helper are of a class that this part, a script of its own, has another copy of. */
function isHookError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}
