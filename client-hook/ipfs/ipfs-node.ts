import { unixfs } from '@helia/unixfs'
import type { Helia } from 'helia'
import { blockHashes } from '../../reader/ipfs/block-hashes.ts'
import { type IpfsPath, parseIpfsPath, resolvePath } from '../../reader/ipfs/open-ipfs.ts'
import type { Content } from '../content.ts'
import type { PartTools } from '../part-tools.ts'
import { CachedBlocks } from './block-store.ts'
import { codeOf, explain } from './explain-error.ts'
import { GuardedBlocks, type ReadBlock } from './guarded-blocks.ts'
import { startHelia } from './helia-node.ts'
import { type PageHelia, type PageNode, type PageReadOptions, readFromPage, waitForPage } from './page-node.ts'
import { readBlock } from './read-block.ts'
import { readCarSite } from './read-car-site.ts'
import { type DagReader, MAX_BYTES, readFile } from './read-file.ts'
import { readSite } from './read-site.ts'
import { askFor, Reading, type ReadingOptions } from './reading.ts'

/** Reads IPFS for the page. */
export interface IpfsNode {
  /** The running node: the helper's own, or the page's. */
  helia: Helia | PageHelia
  /** The verified bytes of `<cid>[/path]`. */
  read(source: string, options: IpfsReadOptions): Promise<Content>
  /**
   * The page at `path` of the website in on-chain content (docs/formats.md); undefined if the content is no website.
   */
  readCar(content: Uint8Array, options: CarReadOptions): Promise<Content | undefined>
}

interface CarReadOptions {
  path: string
  mediaType: string
  signal: AbortSignal
}

interface IpfsReadOptions extends PageReadOptions {
  mediaType: string
  /** Whether the whole directory of a page is read with it. */
  site: boolean
  /** Origins to ask after the API host. */
  gateways: readonly string[]
}

/** Limit of a CAR: the largest file, plus framing and the nodes above its leaves. */
const MAX_CAR_BYTES = MAX_BYTES + (8 << 20)

/**
 * Starts Helia with the page's database as its block store, or uses the page's own node.
 * @throws {Error}
 */
export async function startIpfsNode(tools: PartTools, page: PageNode): Promise<IpfsNode> {
  const hashes = blockHashes(tools.sha256)
  const store = new CachedBlocks(tools.database, hashes)
  const own = page.awaited ? undefined : await startHelia(store, hashes, askFor(tools, {}))
  const helia = await (own ? Promise.race([page.given, own]) : waitForPage(tools, page))

  /** How one fill reads blocks. */
  const open = (path: IpfsPath, site: boolean, options: IpfsReadOptions): ReadBlock => {
    if (helia !== own || !own) return readFromPage(helia, store, options)
    const { reload, onProgress } = options
    const plan = { ...path, scope: site ? 'all' : 'entity', reload, maxCarBytes: MAX_CAR_BYTES, onProgress } as const
    const through: ReadingOptions = { reading: new Reading(askFor(tools, options), hashes, plan) }
    return (cid) => readBlock(cid, own.blockstore.get(cid, through))
  }

  const readAs = async (path: IpfsPath, site: boolean, options: IpfsReadOptions): Promise<Content> => {
    const { mediaType, signal } = options
    const blocks = new GuardedBlocks(open(path, site, options), hashes)
    const reader: DagReader = { blocks, fs: unixfs(blocks) }
    const abort = () => blocks.fail(signal.reason)
    signal.addEventListener('abort', abort)
    const read = async (): Promise<Content> => {
      if (site) return readSite(reader, path, mediaType)
      const { cid } = await resolvePath(blocks, path)
      return { mediaType, bytes: await readFile(reader, cid) }
    }
    try {
      signal.throwIfAborted()
      return await Promise.race([read(), blocks.failed])
    } finally {
      signal.removeEventListener('abort', abort)
      blocks.close()
    }
  }

  return {
    helia,
    async readCar(content, options) {
      try {
        return await readCarSite(content, hashes, helia === own ? own?.blockstore : undefined, options)
      } catch (error) {
        throw explain(error, tools)
      }
    },
    async read(source, options) {
      try {
        const path = parseIpfsPath(source)
        if (!options.site) return await readAs(path, false, options)
        try {
          return await readAs(path, true, options)
        } catch (error) {
          // If the whole site is too large, the page is shown without its other files.
          if (codeOf(error) !== 'too_large') throw error
          return await readAs(path, false, options)
        }
      } catch (error) {
        throw explain(error, tools)
      }
    },
  }
}
