import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeWhole } from '../write-whole.ts'

/** Hashes of a tile: eight levels of a tree. */
export const TILE_HASHES = 256
const TILE_BYTES = 32 * TILE_HASHES

/** Where the hashes of the blocks of a chain are kept, 256 in a file, so that a killed run continues. */
export interface TileFiles {
  /** The hashes of blocks `256 * index` to `256 * index + 255`, one behind the other; undefined where they are not kept. */
  read(index: number): Promise<Uint8Array | undefined>
  write(index: number, hashes: Uint8Array): Promise<void>
}

/** Files below a folder: `<chain>/0/<index>`. A file that is not whole is as good as none. */
export function tileFiles(folder: string, chain: string): TileFiles {
  const pathOf = (index: number) => join(folder, chain, '0', String(index))
  return {
    async read(index) {
      const bytes = await readFile(pathOf(index)).catch(() => undefined)
      return bytes?.length === TILE_BYTES ? new Uint8Array(bytes) : undefined
    },
    async write(index, hashes) {
      await mkdir(dirname(pathOf(index)), { recursive: true })
      await writeWhole(pathOf(index), hashes)
    },
  }
}
