import type { Blockchain } from '../../../protocol/chains.ts'
import { reverseHex } from '../../../protocol/transaction.ts'
import { branchInTiles, type ReadTile, TILE_HASHES, tilePath } from '../../../reader/proof/tiles.ts'
import { checkpoints } from '../../chain/checkpoints.ts'
import { doubleSha256 } from '../../chain/rpc/double-sha256.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import type { MinedBlock } from './read-mined.ts'

/** Where blocks are in the chain of a checkpoint. */
export interface InChain {
  height: number
  root: string
  /** By hash of the block; hashes in the order in which they are hashed. */
  branches: Map<string, Uint8Array[]>
}

/** The height of the checkpoint that a request names, else of this build's; undefined without either. @throws {AppError} 400 */
export function checkpointAsked(text: string | undefined, blockchain: Blockchain): number | undefined {
  if (text === undefined) return checkpoints[blockchain]?.height
  const height = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if ((height + 1) % TILE_HASHES !== 0) {
    throw invalidField('checkpoint', `must be a height that is one below a multiple of ${TILE_HASHES}.`)
  }
  return height
}

/**
 * Where the blocks up to a checkpoint are in its chain, from the tiles in the bucket.
 * @throws {AppError} 404 for a checkpoint whose tiles are not stored; 502 where the node has another chain.
 */
export async function findInChain(
  bucket: Pick<R2Bucket, 'get'>,
  blockchain: Blockchain,
  blocks: readonly Pick<MinedBlock, 'hash' | 'height'>[],
  height: number,
): Promise<InChain> {
  const read = eachOnce(async (rank, index) => {
    const object = await bucket.get(`proof/${tilePath(blockchain, rank, index)}`)
    return object ? new Uint8Array(await object.arrayBuffer()) : undefined
  })
  const pinned = checkpoints[blockchain]
  const found: InChain = { height, root: pinned?.height === height ? pinned.root : '', branches: new Map() }
  for (const block of blocks) {
    if (block.height > height) continue
    const place = await branchInTiles(read, block.height, height, doubleSha256)
    if (!place) throw unknownCheckpoint(blockchain, height)
    if (reverseHex(place.hash) !== block.hash) {
      const message = `The node's block ${block.height} is not that of the chain of the checkpoint at ${height}.`
      throw new AppError(502, 'node_bad_answer', message)
    }
    found.root ||= reverseHex(place.root)
    found.branches.set(block.hash, place.branch)
  }
  return found
}

function unknownCheckpoint(blockchain: Blockchain, height: number): AppError {
  const newest = checkpoints[blockchain]?.height
  const known = newest === undefined ? 'none is' : `those from ${TILE_HASHES - 1} to ${newest} are, one each 256 blocks`
  return new AppError(404, 'no_such_checkpoint', `The checkpoint of ${blockchain} at ${height} is not known: ${known}.`)
}

/** Several blocks of one request share tiles. */
function eachOnce(read: ReadTile): ReadTile {
  const known = new Map<string, ReturnType<ReadTile>>()
  return (rank, index) => {
    const key = `${rank}/${index}`
    const reading = known.get(key) ?? read(rank, index)
    known.set(key, reading)
    return reading
  }
}
