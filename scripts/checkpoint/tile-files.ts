import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Blockchain } from '../../protocol/chains.ts'
import { type ReadTile, TILE_HASHES, tilePath } from '../../reader/proof/tiles.ts'
import { writeWhole } from '../write-whole.ts'

const TILE_BYTES = 32 * TILE_HASHES

/** Where the tiles of a chain are kept, so that a killed run continues. */
export interface TileFiles {
  /** The hashes of blocks `256 * index` to `256 * index + 255`, one behind the other; undefined where they are not kept. */
  read(index: number): Promise<Uint8Array | undefined>
  write(rank: number, index: number, hashes: Uint8Array): Promise<void>
}

/** Files below a folder, as the bucket has them below `proof/`. A file of rank 0 that is not whole is as good as none. */
export function tileFiles(folder: string, chain: Blockchain): TileFiles {
  return {
    async read(index) {
      const bytes = await readTileFile(folder, chain)(0, index)
      return bytes?.length === TILE_BYTES ? bytes : undefined
    },
    async write(rank, index, hashes) {
      const path = join(folder, tilePath(chain, rank, index))
      await mkdir(dirname(path), { recursive: true })
      await writeWhole(path, hashes)
    },
  }
}

/** Reads tiles as they lie below a folder. */
export function readTileFile(folder: string, chain: Blockchain): ReadTile {
  return async (rank, index) => {
    const bytes = await readFile(join(folder, tilePath(chain, rank, index))).catch(() => undefined)
    return bytes && new Uint8Array(bytes)
  }
}
