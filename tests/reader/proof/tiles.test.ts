import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../protocol/bytes.ts'
import { sha256d } from '../../../reader/proof/fold-branch.ts'
import { branchAt, treeLevels } from '../../../reader/proof/merkle-tree.ts'
import { branchInTiles, type ReadTile, rootOf, TILE_HASHES, upperTiles } from '../../../reader/proof/tiles.ts'

/** Hashes of as many blocks; hashed once, since the tree is what takes time. */
const blocks = Array.from({ length: 256 * 514 }, (_, at) => {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(0, at)
  return bytes
})

function tilesOf(count: number) {
  const stored = new Map<string, Uint8Array>()
  const groups = Array.from({ length: count / TILE_HASHES }, (_, at) => blocks.slice(256 * at, 256 * at + 256))
  for (const [index, group] of groups.entries()) stored.set(`0/${index}`, concatBytes(group))
  const upper = upperTiles(groups.map((group) => rootOf(group, sha256d)))
  for (const { rank, index, bytes } of upper) stored.set(`${rank}/${index}`, bytes)
  const asked: string[] = []
  const read: ReadTile = async (rank, index) => {
    asked.push(`${rank}/${index}`)
    return stored.get(`${rank}/${index}`)
  }
  return { stored, asked, read }
}

/** Tiles of a later checkpoint, as all of these tests read. */
const { read, asked, stored } = tilesOf(blocks.length)

describe('a branch in tiles', () => {
  it.each([1, 2, 3, 255, 256, 257, 258, 512, 513, 514])(
    'is that of the whole tree of %i tiles',
    async (count) => {
      const levels = treeLevels(blocks.slice(0, 256 * count))
      const last = 256 * count - 1
      for (const height of new Set([0, 1, 255, 256, 65_535, 65_536, 65_792, last - 256, last])) {
        if (height < 0 || height > last) continue
        asked.length = 0
        const found = await branchInTiles(read, height, last, sha256d)
        expect(found, `block ${height}`).toEqual({
          hash: blocks[height],
          branch: branchAt(levels, height),
          root: levels.at(-1)?.[0],
        })
        expect(new Set(asked).size).toBeLessThanOrEqual(6)
      }
    },
    30_000,
  )

  it('is not found where a tile is not stored, or ends before the checkpoint', async () => {
    expect(await branchInTiles(read, 5, 256 * 515 - 1, sha256d)).toBeUndefined()
    const lacking: ReadTile = async (rank, index) => (rank === 0 ? undefined : stored.get(`${rank}/${index}`))
    expect(await branchInTiles(lacking, 5, 511, sha256d)).toBeUndefined()
  })
})
