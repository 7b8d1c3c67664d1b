import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { folderManifest } from '../../../../protocol/folder-manifest.ts'
import { dropAllBlocks, pendingBlocks } from '../../../content/ipfs/blocks/pending-blocks.ts'
import { addDirectory, type DirectoryFile } from '../../../content/ipfs/dag/add-file.ts'
import { storedDagSize } from '../../../content/ipfs/dag/stored-dag-size.ts'
import type { Env } from '../../../platform/bindings.ts'
import { type DirectoryItemFile, selectDirectoryFiles, selectFolderTree } from '../sql/folders.ts'
import { abandonDirectory, finishDirectoryMerge } from '../sql/move-items.ts'
import { directoryPaths } from './directory-paths.ts'
import { type Hashed, hashed } from './hashed.ts'
import { ChunkMissingError, readChunks } from './read-chunks.ts'

/** Turns the files of a directory item into one DAG; like `mergeItem`, it may be cut off anywhere and repeated. */
export async function mergeDirectory(
  env: Pick<Env, 'DB' | 'BUCKET'>,
  id: string,
  folderId: string,
  clock: () => number,
): Promise<void> {
  const files = await selectDirectoryFiles(env.DB, id)
  const tree = await selectFolderTree(env.DB, folderId)
  const outcome = directoryPaths(folderId, tree, files)
  if ('collision' in outcome) throw new Error(`Two files of ${id} are called ${outcome.collision}`)
  const byPath = new Map(files.map((file) => [outcome.paths.get(file.id) ?? '', file]))
  try {
    const hashes = new Map<string, Hashed>()
    const contents = readFiles(env.BUCKET, byPath, hashes)
    const { cid, storedSize, entries } = await addDirectory(pendingBlocks(env.BUCKET, id), contents)
    for (const file of files) if (file.state === 'unpaid') await dropAllBlocks(env.BUCKET, file.id)
    const cids = [...byPath].map(([path, file]) => {
      return { id: file.id, cid: String(entries.get(path) ?? ''), sha256: hashes.get(file.id)?.sha256() }
    })
    const manifest = manifestOf(byPath, hashes)
    const merged = { cid: String(cid), storedSize, files: cids, ...(manifest !== undefined && { manifest }) }
    await finishDirectoryMerge(env.DB, id, merged, clock())
  } catch (error) {
    if (!(error instanceof ChunkMissingError)) throw error
    // Whoever asks for the merge again is told which chunks to send.
    await dropAllBlocks(env.BUCKET, id)
    await abandonDirectory(env.DB, id, clock())
  }
}

/** The hash of the directory's manifest; none where a linked file's hash is not known. */
function manifestOf(
  byPath: ReadonlyMap<string, DirectoryItemFile>,
  hashes: ReadonlyMap<string, Hashed>,
): string | undefined {
  const files = [...byPath].map(([path, { id, size, sha256 }]) => {
    return { path, size, sha256: hashes.get(id)?.sha256() ?? sha256 ?? '' }
  })
  if (files.some(({ sha256 }) => sha256 === '')) return undefined
  return createHash('sha256').update(folderManifest(files)).digest('hex')
}

async function* readFiles(
  bucket: R2Bucket,
  byPath: ReadonlyMap<string, DirectoryItemFile>,
  hashes: Map<string, Hashed>,
): AsyncGenerator<DirectoryFile> {
  for (const path of [...byPath.keys()].sort()) {
    const file = byPath.get(path)
    if (!file) continue
    if (file.linkedCid === null) {
      const content = hashed(readChunks(bucket, file))
      hashes.set(file.id, content)
      yield { path, content: content.bytes }
    } else {
      const cid = CID.parse(file.linkedCid)
      yield { path, stored: { cid, dagSize: await storedDagSize(bucket, cid) } }
    }
  }
}
