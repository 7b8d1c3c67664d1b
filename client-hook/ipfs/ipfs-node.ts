import type { Helia } from 'helia'
import { blockHashes } from '../../reader/ipfs/block-hashes.ts'
import type { CarRequest } from '../../reader/ipfs/car-reader.ts'
import { type IpfsPath, parseIpfsPath, resolvePath } from '../../reader/ipfs/open-ipfs.ts'
import type { Content, Media } from '../content.ts'
import type { PartTools } from '../part-tools.ts'
import { CachedBlocks } from './block-store.ts'
import { DagBounds } from './dag-bounds.ts'
import { explain } from './explain-error.ts'
import { GuardedBlocks, type ReadBlock } from './guarded-blocks.ts'
import { startHelia } from './helia-node.ts'
import { type PageHelia, type PageNode, type PageReadOptions, readFromPage, waitForPage } from './page-node.ts'
import { readBlock } from './read-block.ts'
import { readCarSite } from './read-car-site.ts'
import { MAX_BYTES, readFile, readRange, sizeOfFile } from './read-file.ts'
import { readGuarded } from './read-guarded.ts'
import { type PagePath, type ReadBlocks, readSite, splitPlace } from './read-site.ts'
import { askFor, type CarSupport, Reading, type ReadingOptions } from './reading.ts'

/** Reads IPFS for the page. */
export interface IpfsNode {
  /** The running node: the helper's own, or the page's. */
  helia: Helia | PageHelia
  /** The verified bytes of `<cid>[/path]`. */
  read(source: string, options: IpfsReadOptions): Promise<Content>
  /** The file `<cid>[/path]`, of which parts are read; undefined where it is one block. */
  openMedia(source: string, options: IpfsReadOptions): Promise<Media | undefined>
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
  /** Whether a page of a directory is read as one of a site. */
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

  const fetchers = (
    options: IpfsReadOptions,
    cars: CarSupport,
  ): { read: ReadBlock; expect(plan: CarRequest): void } => {
    if (helia !== own || !own) return { read: readFromPage(helia, store, options), expect() {} }
    const { reload, onProgress } = options
    const limits = { reload, onProgress, maxCarBytes: MAX_CAR_BYTES }
    const reading = new Reading(askFor(tools, options), hashes, limits, cars)
    const through: ReadingOptions = { reading }
    return {
      read: (cid) => readBlock(cid, own.blockstore.get(cid, through)),
      expect: (plan) => reading.expect(plan),
    }
  }

  /** How the files of one page are read; progress is that of the first. */
  const readerOf = (options: IpfsReadOptions): ReadBlocks => {
    const bounds = new DagBounds()
    const cars: CarSupport = { refused: false }
    let { onProgress } = options
    return async (plan, use) => {
      const { read, expect } = fetchers({ ...options, onProgress }, cars)
      onProgress = () => {}
      expect(plan)
      return await readGuarded(new GuardedBlocks(read, hashes, bounds), expect, options.signal, use)
    }
  }

  const readAlone = (path: IpfsPath, options: IpfsReadOptions): Promise<Content> =>
    readerOf(options)({ ...path, scope: 'entity' }, async (reader) => {
      const { cid } = await resolvePath(reader.blocks, path)
      return { mediaType: options.mediaType, bytes: await readFile(reader, cid) }
    })

  const readPage = (path: PagePath, options: IpfsReadOptions, mediaType?: string): Promise<Content> => {
    const open = (names: string[]) => readPage({ root: path.root, names }, { ...options, onProgress() {} })
    return readSite(readerOf(options), { ...path, mediaType, complete: false, open })
  }

  return {
    helia,
    readCar: (content, options) =>
      explained(readCarSite(content, hashes, helia === own ? own?.blockstore : undefined, options), tools),
    async openMedia(source, options) {
      const path = parseIpfsPath(source)
      const found = await readerOf(options)({ ...path, scope: 'entity', offset: 0, end: 0 }, async (reader) => {
        const { cid } = await resolvePath(reader.blocks, path)
        return { cid, size: await sizeOfFile(reader, cid) }
      })
      const { cid, size } = found
      if (size === undefined) return undefined
      const readPart = (start: number, end: number) =>
        readerOf({ ...options, onProgress() {} })(
          { root: cid, names: [], scope: 'entity', offset: start, end },
          (reader) => readRange(reader, cid, start, end),
        )
      return { root: cid.toString(), size, read: (start, end) => explainedPart(readPart(start, end), tools) }
    },
    async read(source, options) {
      const read = async () => {
        if (!options.site) return await readAlone(parseIpfsPath(source), options)
        const [path, place] = splitPlace(source)
        return await readPage({ ...parseIpfsPath(path), place }, options, options.mediaType)
      }
      return await explained(read(), tools)
    },
  }
}

async function explainedPart(reading: Promise<Uint8Array>, tools: PartTools): Promise<Uint8Array> {
  try {
    return await reading
  } catch (error) {
    throw explain(error, tools)
  }
}

/** Content whose errors are those to report, now and when more of its site is read. */
async function explained<Result extends Content | undefined>(
  reading: Promise<Result>,
  tools: PartTools,
): Promise<Result> {
  const explaining = async <Value>(value: Promise<Value>): Promise<Value> => {
    try {
      return await value
    } catch (error) {
      throw explain(error, tools)
    }
  }
  const content = await explaining(reading)
  if (!content?.site) return content
  const { read, open, ...rest } = content.site
  const site = {
    ...rest,
    read: (path: string) => explaining(read(path)),
    open: (path: string) => explained(open(path), tools),
  }
  return { ...content, site }
}
