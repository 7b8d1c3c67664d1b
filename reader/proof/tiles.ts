import { concatBytes } from '../../protocol/bytes.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { sha256d } from './fold-branch.ts'
import { branchAt, treeLevels } from './merkle-tree.ts'

/**
 * The tree of a checkpoint in files of 256 hashes, eight of its levels apart: tile `i` of rank 0 has the hashes of blocks 256 i
 * to 256 i + 255, and that of rank r + 1 the roots of whole tiles of rank r. So tiles only grow, and serve every checkpoint
 * up to the last.
 */
export const TILE_HASHES = 256
const TILE_LEVELS = 8
const HASH_BYTES = 32

/** Where a tile is below `proof/`, in the bucket and on the operator's machine. */
export function tilePath(blockchain: Blockchain, rank: number, index: number): string {
  return `${blockchain}/${rank}/${index}`
}

/** A tile, as much of it as there is; undefined where it is not stored. */
export type ReadTile = (rank: number, index: number) => Promise<Uint8Array | undefined>

type Hash = (bytes: Uint8Array) => Uint8Array

/** Hashes of a tile, one behind the other. */
export function hashesOf(tile: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.floor(tile.length / HASH_BYTES) }, (_, at) =>
    tile.subarray(HASH_BYTES * at, HASH_BYTES * (at + 1)),
  )
}

/** The tiles above those of rank 0, whose roots these are; the last of each rank may have less than 256 hashes. */
export function upperTiles(roots: Uint8Array[]): { rank: number; index: number; bytes: Uint8Array }[] {
  const tiles: { rank: number; index: number; bytes: Uint8Array }[] = []
  for (let rank = 1, level = roots; level.length > 0; rank++) {
    const above: Uint8Array[] = []
    for (let at = 0; at < level.length; at += TILE_HASHES) {
      const hashes = level.slice(at, at + TILE_HASHES)
      tiles.push({ rank, index: at / TILE_HASHES, bytes: concatBytes(hashes) })
      if (hashes.length === TILE_HASHES) above.push(rootOf(hashes, sha256d))
    }
    level = above
  }
  return tiles
}

/** The root over hashes; with `levels` as one of a larger tree, whose last node of a level is paired with itself. */
export function rootOf(hashes: Uint8Array[], hash: Hash, levels = 0): Uint8Array {
  return treeLevels(hashes, hash, levels).at(-1)?.[0] ?? new Uint8Array(HASH_BYTES)
}

/**
 * The hash of block `height` in the tree of the checkpoint at `pinned`, its branch and their root, from at most six tiles;
 * undefined where one lacks what it needs.
 */
export async function branchInTiles(read: ReadTile, height: number, pinned: number, hash: Hash) {
  /** By rank, how many hashes there are. */
  const counts = [pinned + 1]
  for (let count = pinned + 1; count > TILE_HASHES; ) {
    count = Math.ceil(count / TILE_HASHES)
    counts.push(count)
  }

  const hashesAt = async (rank: number, index: number): Promise<Uint8Array[] | undefined> => {
    const count = Math.min(TILE_HASHES, (counts[rank] ?? 0) - TILE_HASHES * index)
    const isLast = TILE_HASHES * index + count === counts[rank]
    // The root of a tile that is not whole is of this checkpoint only, so that it is stored nowhere.
    const isCut = isLast && rank > 0 && (counts[rank - 1] ?? 0) % TILE_HASHES !== 0
    const stored = isCut ? count - 1 : count
    const tile = stored > 0 ? await read(rank, index) : new Uint8Array(0)
    if (!tile || tile.length < HASH_BYTES * stored) return undefined
    const hashes = hashesOf(tile.subarray(0, HASH_BYTES * stored))
    if (!isCut) return hashes
    const cut = await hashesAt(rank - 1, TILE_HASHES * index + count - 1)
    return cut && [...hashes, rootOf(cut, hash, TILE_LEVELS)]
  }

  const branch: Uint8Array[] = []
  let leaf: Uint8Array | undefined
  let root: Uint8Array | undefined
  for (let rank = 0, position = height; rank < counts.length; rank++) {
    const hashes = await hashesAt(rank, Math.floor(position / TILE_HASHES))
    if (!hashes) return undefined
    const levels = treeLevels(hashes, hash, rank < counts.length - 1 ? TILE_LEVELS : 0)
    leaf ??= hashes[position % TILE_HASHES]
    branch.push(...branchAt(levels, position % TILE_HASHES))
    root = levels.at(-1)?.[0]
    position = Math.floor(position / TILE_HASHES)
  }
  return leaf && root && { hash: leaf, branch, root }
}
