import { importDirectory, importer, importFile } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'
import type { BlockSink } from '../blocks/pending-blocks.ts'

/** A DAG that was put into a sink. */
export interface AddedDag {
  cid: CID
  /** Bytes of all its blocks; a block that occurs twice counts twice. */
  storedSize: number
}

/**
 * A file of a directory, or a directory in it that nothing is in; `path` is relative, with `/` between names. A stored one is
 * linked, and none of it is put.
 */
export type DirectoryEntry =
  | { path: string; content: AsyncIterable<Uint8Array> }
  | { path: string; stored: { cid: CID; dagSize: bigint } }
  | { path: string; empty: true }

/** CIDv1, raw leaves of 1 MiB, 1,024 links a node: what IPIP-499 settled on, so that others get the same CIDs. */
const PROFILE = 'unixfs-v1-2025'

/** Blocks on their way to storage at a time; each is held in memory. */
const WRITES = 4

/** Puts one file into `sink` as UnixFS, reading `content` once and holding a few MiB of it. */
export async function addFile(sink: BlockSink, content: AsyncIterable<Uint8Array>): Promise<AddedDag> {
  const counted = countBytes(sink)
  const { cid } = await importFile({ content }, counted, { profile: PROFILE, blockWriteConcurrency: WRITES })
  return { cid, storedSize: counted.bytes() }
}

/**
 * Puts files into `sink` as one directory; each `content` is read once, in turn. Empty: an empty directory. `entries`
 * has the CID of each file by its path, and of the directories between. What is linked does not count as stored.
 */
export async function addDirectory(
  sink: BlockSink,
  files: AsyncIterable<DirectoryEntry>,
): Promise<AddedDag & { entries: Map<string, CID> }> {
  const counted = countBytes(sink)
  const options = {
    profile: PROFILE,
    wrapWithDirectory: true,
    fileImportConcurrency: 1,
    // In place of the importer's own, which knows no files that are there already.
    dagBuilder: async function* buildFiles() {
      for await (const file of files) yield async () => ({ ...(await rootOf(file, counted)), path: file.path })
    },
  } as const
  const entries = new Map<string, CID>()
  let root: CID | undefined
  for await (const { path, cid } of importer([], counted, options)) {
    if (path !== undefined) entries.set(path, cid)
    root = cid
  }
  root ??= (await addEmpty(counted)).cid
  return { cid: root, storedSize: counted.bytes(), entries }
}

/** The root of one entry's DAG, and the bytes of all its blocks. */
async function rootOf(file: DirectoryEntry, sink: BlockSink): Promise<{ cid: CID; size: bigint }> {
  if ('stored' in file) return { cid: file.stored.cid, size: file.stored.dagSize }
  if ('empty' in file) return await addEmpty(sink)
  const { content } = file
  return await importFile({ content }, sink, { profile: PROFILE, blockWriteConcurrency: WRITES })
}

/** The importer requires a name, which does not become part of the block. */
function addEmpty(sink: BlockSink): Promise<{ cid: CID; size: bigint }> {
  return importDirectory({ path: 'empty' }, sink, { profile: PROFILE })
}

function countBytes(sink: BlockSink) {
  let total = 0
  return {
    put(cid: CID, bytes: Uint8Array): Promise<CID> {
      total += bytes.byteLength
      return sink.put(cid, bytes)
    },
    bytes: () => total,
  }
}
