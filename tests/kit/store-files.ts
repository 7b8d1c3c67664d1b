import { importer, importFile } from 'ipfs-unixfs-importer'
import type { Miniflare } from 'miniflare'
import { CID } from 'multiformats/cid'
import { BLOCK_PREFIX, blockName } from '../../worker/content/ipfs/blocks/block-key.ts'

/** Small leaves, so that a file of some KiB is a DAG. */
const SMALL_LEAVES = { cidVersion: 1, rawLeaves: true } as const

/** Where blocks go: the Worker's own store, never that of the gateways. */
async function openSink(miniflare: Miniflare) {
  const bucket = await miniflare.getR2Bucket('BUCKET')
  let blocks = 0
  return {
    async put(cid: CID, bytes: Uint8Array): Promise<CID> {
      blocks++
      await bucket.put(BLOCK_PREFIX + blockName(cid), bytes)
      return cid
    },
    blocks: () => blocks,
  }
}

/** Puts a file into the Worker's block store; returns its CID. */
export async function storeFile(miniflare: Miniflare, bytes: Uint8Array): Promise<string> {
  const { cid } = await importFile({ content: bytes }, await openSink(miniflare), { profile: 'unixfs-v1-2025' })
  return cid.toString()
}

/**
 * Puts files into the Worker's block store as one directory, or with `sharded` as one whose folders are sharded (HAMT);
 * returns the CIDs of it and of each file.
 */
export async function storeFiles(
  { miniflare }: { miniflare: Miniflare },
  files: Record<string, Uint8Array | string>,
  { sharded = false } = {},
): Promise<{ root: string; cids: Record<string, string>; blocks: number }> {
  const sink = await openSink(miniflare)
  const cids: Record<string, string> = {}
  let root = ''
  const source = Object.entries(files).map(([path, content]) => ({
    path,
    content: typeof content === 'string' ? new TextEncoder().encode(content) : content,
  }))
  const options = { ...SMALL_LEAVES, wrapWithDirectory: true, ...(sharded && { shardSplitThresholdBytes: 0 }) }
  for await (const { path, cid } of importer(source, sink, options)) {
    if (path === undefined || path === '') root = CID.asCID(cid)?.toString() ?? ''
    else cids[path] = CID.asCID(cid)?.toString() ?? ''
  }
  return { root, cids, blocks: sink.blocks() }
}
