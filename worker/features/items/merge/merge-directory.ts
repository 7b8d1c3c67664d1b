import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import type { CodeOf } from '../../../../contract/error-codes.ts'
import { CAR_TYPE } from '../../../../contract/media-type.ts'
import { folderManifest } from '../../../../protocol/folder-manifest.ts'
import { MAX_SITE_BLOCKS } from '../../../../protocol/site-root.ts'
import { dropAllBlocks, pendingBlocks } from '../../../content/ipfs/blocks/pending-blocks.ts'
import { addDirectory, type DirectoryEntry } from '../../../content/ipfs/dag/add-file.ts'
import { storedDagSize } from '../../../content/ipfs/dag/stored-dag-size.ts'
import { readConfig } from '../../../platform/config/read-config.ts'
import { type DirectoryItemFile, selectDirectoryFiles, selectFolderTree } from '../sql/folders.ts'
import type { Item } from '../sql/items.ts'
import { abandonDirectory, finishDirectoryMerge, type MergeOutcome, refuseMerge } from '../sql/move-items.ts'
import { directoryPaths } from './directory-paths.ts'
import { type HashedBytes, hashed } from './hashed-bytes.ts'
import { ChunkMissingError, readChunks } from './read-chunks.ts'
import { spoolCar } from './spool-car.ts'
import { type MergeEnv, storeForChain } from './store-for-chain.ts'

/** A directory item in the midst of its merge. */
type Directory = Pick<Item, 'id' | 'blockchain' | 'indexed'> & { directoryOf: string }

/**
 * Turns the files of a directory item into one DAG, and for a chain that into one CAR; like `mergeItem`, it may be cut off
 * anywhere and repeated.
 */
export async function mergeDirectory(
  env: MergeEnv,
  directory: Directory,
  clock: () => number,
  cutOff: number,
): Promise<void> {
  const { id, directoryOf } = directory
  const files = await selectDirectoryFiles(env.DB, id)
  const outcome = directoryPaths(directoryOf, await selectFolderTree(env.DB, directoryOf), files)
  if ('collision' in outcome) throw new Error(`Two files of ${id} are called ${outcome.collision}`)
  const { paths, empty } = outcome
  const byPath = new Map(files.map((file) => [paths.get(file.id) ?? '', file]))
  try {
    const hashes = new Map<string, HashedBytes>()
    const stored = await storeDirectory(env, directory, readEntries(env.BUCKET, { byPath, empty }, hashes), cutOff)
    if ('code' in stored) {
      await dropAllBlocks(env.BUCKET, id)
      return await refuseMerge(env.DB, id, stored, clock())
    }
    for (const file of files) if (file.state === 'unpaid') await dropAllBlocks(env.BUCKET, file.id)
    const { entries, ...merged } = stored
    const cids = [...byPath].map(([path, file]) => {
      return { id: file.id, cid: String(entries.get(path) ?? ''), sha256: hashes.get(file.id)?.sha256() }
    })
    const manifest = manifestOf({ byPath, empty }, hashes)
    await finishDirectoryMerge(env.DB, id, { ...merged, files: cids, ...(manifest && { manifest }) }, clock())
  } catch (error) {
    if (!(error instanceof ChunkMissingError)) throw error
    // The next request for the merge is refused with the chunks to send.
    await dropAllBlocks(env.BUCKET, id)
    await abandonDirectory(env.DB, id, clock())
  }
}

/** What a merge found, with the CID of each entry and, on a chain, what its transactions hold. */
interface StoredDirectory extends MergeOutcome {
  entries: Map<string, CID>
  content?: { size: number; sha256: string }
}

/** Stores the blocks of a directory until it is paid, and for a chain what its transactions carry. */
async function storeDirectory(
  env: MergeEnv,
  { id, blockchain, indexed }: Directory,
  contents: AsyncIterable<DirectoryEntry>,
  cutOff: number,
): Promise<StoredDirectory | { code: CodeOf<422>; message: string }> {
  const pending = pendingBlocks(env.BUCKET, id)
  if (blockchain === 'IPFS') {
    const { cid, ...added } = await addDirectory(pending, contents)
    return { ...added, cid: String(cid), transactions: 0, maxDataBytes: null }
  }
  const { cid, entries, car } = await spoolCar(env.BUCKET, id, pending, (sink) => addDirectory(sink, contents))
  const { maxDecodedBytes } = readConfig(env)
  if (car.size > maxDecodedBytes) {
    const message = `As one website the folder has ${car.size} bytes; ${maxDecodedBytes} is the limit on ${blockchain}. IPFS would take it.`
    return { code: 'content_too_large', message }
  }
  if (car.blocks > MAX_SITE_BLOCKS) {
    const message = `As one website the folder has ${car.blocks} blocks; ${MAX_SITE_BLOCKS} is the limit on ${blockchain}. IPFS would take it.`
    return { code: 'content_too_large', message }
  }
  const content = { id, mimetype: CAR_TYPE, type: CAR_TYPE, indexed, ...car }
  const stored = await storeForChain(env, content, blockchain, cutOff)
  if ('code' in stored) return stored
  const { sha256, ...outcome } = stored
  return { ...outcome, cid: String(cid), entries, content: { size: car.size, sha256 } }
}

/** The hash of the directory's manifest; none where a linked file's hash is not known. */
function manifestOf(
  { byPath, empty }: { byPath: ReadonlyMap<string, DirectoryItemFile>; empty: readonly string[] },
  hashes: ReadonlyMap<string, HashedBytes>,
): string | undefined {
  const files = [...byPath].map(([path, { id, size, sha256 }]) => {
    return { path, size, sha256: hashes.get(id)?.sha256() ?? sha256 ?? '' }
  })
  if (files.some(({ sha256 }) => sha256 === '')) return undefined
  return createHash('sha256').update(folderManifest(files, empty)).digest('hex')
}

async function* readEntries(
  bucket: R2Bucket,
  { byPath, empty }: { byPath: ReadonlyMap<string, DirectoryItemFile>; empty: readonly string[] },
  hashes: Map<string, HashedBytes>,
): AsyncGenerator<DirectoryEntry> {
  for (const path of [...byPath.keys(), ...empty].sort()) {
    const file = byPath.get(path)
    if (!file) yield { path, empty: true }
    else if (file.linkedCid === null) {
      const content = hashed(readChunks(bucket, file))
      hashes.set(file.id, content)
      yield { path, content: content.bytes }
    } else {
      const cid = CID.parse(file.linkedCid)
      yield { path, stored: { cid, dagSize: await storedDagSize(bucket, cid) } }
    }
  }
}
