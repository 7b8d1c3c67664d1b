import { CID } from 'multiformats/cid'
import { siteRoot } from '../../protocol/site-root.ts'
import type { Sha256 } from '../chain/verify-transaction.ts'
import { ReaderError } from '../reader-error.ts'
import { blockHashes } from './block-hashes.ts'
import type { IpfsReader } from './block-source.ts'
import { blockKey } from './car-reader.ts'
import { IPFS_LIMITS } from './ipfs-limits.ts'
import { verifiedCar } from './verified-car.ts'

/** The website in the content of transactions: its root, and what reads its files. */
export interface ChainSite {
  root: CID
  reader: IpfsReader
}

/** The website in on-chain content (docs/formats.md, "A website"), every block checked; `undefined` if it is none. */
export async function openChainSite(content: Uint8Array, sha256: Sha256): Promise<ChainSite | undefined> {
  const first = siteRoot(content)
  if (!first) return undefined
  const hashes = blockHashes(sha256)
  const root = CID.decode(first)
  const blocks = await verifiedCar(content, hashes, IPFS_LIMITS.maxBlockBytes)
  if (!blocks?.has(blockKey(root))) return undefined
  const store: IpfsReader['store'] = { get: async (cid) => blocks.get(blockKey(cid))?.bytes, put: async () => {} }
  return { root, reader: { gateway: '', download: nothing, hashes, store, limits: IPFS_LIMITS } }
}

/** A website on a chain is complete in its transactions, so nothing is downloaded. */
async function* nothing(): AsyncGenerator<Uint8Array> {
  yield* []
  throw new ReaderError('not_found', 'Blocks of the website are missing in the transactions.')
}
