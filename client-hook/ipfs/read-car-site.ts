import type { Helia } from 'helia'
import { CID } from 'multiformats/cid'
import { siteRoot } from '../../protocol/site-root.ts'
import type { BlockHashes } from '../../reader/ipfs/block-hashes.ts'
import { blockKey, type CarBlock } from '../../reader/ipfs/car-reader.ts'
import { IPFS_LIMITS } from '../../reader/ipfs/ipfs-limits.ts'
import { parseIpfsPath } from '../../reader/ipfs/open-ipfs.ts'
import { verifiedCar } from '../../reader/ipfs/verified-car.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { Content } from '../content.ts'
import { DagBounds } from './dag-bounds.ts'
import { GuardedBlocks } from './guarded-blocks.ts'
import { readGuarded } from './read-guarded.ts'
import { type ReadBlocks, readSite, splitPlace } from './read-site.ts'
import { yieldToPage } from './yield-to-page.ts'

interface CarSiteOptions {
  path: string
  mediaType: string
  signal: AbortSignal
}

/**
 * The page at `path` of the website in on-chain content; undefined if the content is no website, then the bytes are
 * shown themselves. Blocks are read from memory and stored in the helper's own `blockstore`.
 * @throws {ReaderError} `not_found`, `too_large` …
 */
export async function readCarSite(
  content: Uint8Array,
  hashes: BlockHashes,
  blockstore: Helia['blockstore'] | undefined,
  { path, mediaType, signal }: CarSiteOptions,
): Promise<Content | undefined> {
  const first = siteRoot(content)
  const held = first && (await verifiedCar(content, hashes, IPFS_LIMITS.maxBlockBytes, yieldToPage))
  const root = first && CID.decode(first)
  if (!root || !held?.has(blockKey(root))) return undefined
  const read = async (cid: CID) => held.get(blockKey(cid))?.bytes ?? missing(cid)
  const readPage = (names: string[], mediaType?: string, place?: string): Promise<Content> => {
    const bounds = new DagBounds()
    const readBlocks: ReadBlocks = (_, use) =>
      readGuarded(new GuardedBlocks(read, hashes, bounds), () => {}, signal, use)
    return readSite(readBlocks, {
      root,
      names,
      mediaType,
      complete: true,
      ...(place && { place }),
      open: (to) => readPage(to),
    })
  }
  const [file, place] = splitPlace(path)
  const page = await readPage(parseIpfsPath(`${root}/${file}`).names, mediaType, place)
  if (!page.site) return undefined
  // The page is shown without waiting until its blocks are stored.
  if (blockstore) void keep(blockstore, held)
  return page
}

async function keep(blockstore: Helia['blockstore'], held: ReadonlyMap<string, CarBlock>): Promise<void> {
  try {
    for (const { cid, bytes } of held.values()) await blockstore.put(cid, bytes)
  } catch (error) {
    console.warn(error)
  }
}

function missing(cid: CID): never {
  throw new ReaderError('not_found', `The block ${cid} is missing in the transactions.`)
}
