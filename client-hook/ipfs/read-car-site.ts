import { unixfs } from '@helia/unixfs'
import type { Helia } from 'helia'
import { CID } from 'multiformats/cid'
import { siteRoot } from '../../protocol/site-root.ts'
import type { BlockHashes } from '../../reader/ipfs/block-hashes.ts'
import { IPFS_LIMITS } from '../../reader/ipfs/ipfs-limits.ts'
import { parseIpfsPath } from '../../reader/ipfs/open-ipfs.ts'
import { type VerifiedBlock, verifiedCar } from '../../reader/ipfs/verified-car.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { Content } from '../content.ts'
import { blockKey } from './block-key.ts'
import { GuardedBlocks } from './guarded-blocks.ts'
import { readSite } from './read-site.ts'
import { yieldToPage } from './yield-to-page.ts'

/**
 * The page at `path` of the website in on-chain content, with all files of the site; undefined if the content is no
 * website, then the bytes are shown themselves. Blocks are read from memory and stored in the helper's own
 * `blockstore`.
 * @throws {ReaderError} `not_found`, `too_large` …
 */
export async function readCarSite(
  content: Uint8Array,
  hashes: BlockHashes,
  blockstore: Helia['blockstore'] | undefined,
  { path, mediaType, signal }: { path: string; mediaType: string; signal: AbortSignal },
): Promise<Content | undefined> {
  const first = siteRoot(content)
  const held = first && (await verifiedCar(content, hashes, IPFS_LIMITS.maxBlockBytes, blockKey, yieldToPage))
  const root = first && CID.decode(first)
  if (!root || !held?.has(blockKey(root))) return undefined
  const blocks = new GuardedBlocks(async (cid) => held.get(blockKey(cid))?.bytes ?? missing(cid), hashes)
  const abort = () => blocks.fail(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    if ((await blocks.read(root)).kind === 'file') return undefined
    const { names } = parseIpfsPath(`${root}/${path}`)
    const site = await Promise.race([
      readSite({ blocks, fs: unixfs(blocks) }, { root, names }, mediaType),
      blocks.failed,
    ])
    // The page is shown without waiting until its blocks are stored.
    if (blockstore) void keep(blockstore, held)
    return site
  } finally {
    signal.removeEventListener('abort', abort)
    blocks.close()
  }
}

async function keep(blockstore: Helia['blockstore'], held: ReadonlyMap<string, VerifiedBlock>): Promise<void> {
  try {
    for (const { cid, bytes } of held.values()) await blockstore.put(cid, bytes)
  } catch (error) {
    console.warn(error)
  }
}

function missing(cid: CID): never {
  throw new ReaderError('not_found', `The block ${cid} is missing in the transactions.`)
}
