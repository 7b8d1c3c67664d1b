import type { CID } from 'multiformats/cid'
import { readRange } from '../../client/folder/local-source.ts'
import { CODEC } from '../../protocol/cid.ts'
import { BlockSource, type BlockStore, type IpfsReader } from '../../reader/ipfs/block-source.ts'
import { decodeNode } from '../../reader/ipfs/dag-node.ts'

/** The local file has other bytes at the place of this block. */
class MissingHereError extends Error {
  override name = 'MissingHereError'
}

/** The result of comparing a local file with a CID. */
export interface Comparison {
  answer: 'same' | 'different'
  /** Bytes from the beginning that are verified to be equal. */
  verified: number
}

/**
 * Walks the DAG of a file and compares it with a local one, byte by byte. Leaves are read from the local file if they
 * match their CID, so for an equal file only the nodes above them are downloaded. With `untilMissing` the first
 * differing leaf ends it, to resume an interrupted download.
 */
export async function compareWithLocal(
  reader: IpfsReader,
  root: CID,
  local: { path: string; size: number },
  { untilMissing }: { untilMissing: boolean },
): Promise<Comparison> {
  const file = await openWithLocal(reader, root, local.path, { untilMissing })
  if (!file) return { answer: 'different', verified: 0 }
  if (!untilMissing && file.size !== local.size) return { answer: 'different', verified: 0 }
  let position = 0
  try {
    for await (const piece of file.pieces) {
      const here = await readRange(local.path, position, piece.length)
      if (Buffer.compare(here, piece) !== 0) return { answer: 'different', verified: position }
      position += piece.length
    }
  } catch (error) {
    if (error instanceof MissingHereError) return { answer: 'different', verified: position }
    throw error
  }
  return { answer: local.size === file.size ? 'same' : 'different', verified: position }
}

/**
 * The verified bytes of a file of IPFS. Leaves that the local file at `path` has in the same place are hashed here, not
 * downloaded. `undefined` if the CID is no file.
 */
export async function openWithLocal(
  reader: IpfsReader,
  root: CID,
  path: string,
  { untilMissing = false } = {},
): Promise<{ size: number; pieces: AsyncIterable<Uint8Array> } | undefined> {
  let position = 0
  const sizes = new Map<string, number>()
  const store: BlockStore = {
    async get(cid) {
      const size = sizes.get(cid.toString())
      if (cid.code !== CODEC.raw || size === undefined) return undefined
      // It may be changed, removed or locked meanwhile.
      const bytes = await readRange(path, position, size).catch(() => undefined)
      if (bytes?.length === size && (await hasDigest(reader, cid, bytes))) return bytes
      if (untilMissing) throw new MissingHereError()
      return undefined
    },
    async put(cid, bytes) {
      const node = await decodeNode(cid, bytes)
      if (node.kind === 'file') for (const part of node.parts) sizes.set(part.cid.toString(), part.size)
    },
  }
  // Without a CAR, which would contain every leaf.
  const source = new BlockSource({ ...reader, store }, undefined)
  const node = await source.read(root)
  if (node.kind !== 'file') return undefined
  async function* pieces(file: typeof node & { kind: 'file' }) {
    for await (const piece of source.readFile(file, 0)) {
      yield piece
      position += piece.length
    }
  }
  return { size: node.size, pieces: pieces(node) }
}

async function hasDigest({ hashes }: IpfsReader, cid: CID, bytes: Uint8Array): Promise<boolean> {
  const digest = await hashes.get(cid.multihash.code)?.(bytes)
  return digest !== undefined && Buffer.compare(digest, cid.multihash.digest) === 0
}
