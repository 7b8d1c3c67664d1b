import { concatBytes, fromHex } from '../../protocol/bytes.ts'
import { type Blockchain, CHAINS } from '../../protocol/chains.ts'
import { reverseHex, txidBytes } from '../../protocol/transaction.ts'
import { readHeader, targetOf } from '../../reader/proof/block-header.ts'
import type { Checkpoint } from '../../reader/proof/checkpoint.ts'
import { sha256d } from '../../reader/proof/fold-branch.ts'
import { hashesOf, rootOf, TILE_HASHES, upperTiles } from '../../reader/proof/tiles.ts'
import type { RpcCall, RpcOutcome } from '../../worker/chain/rpc/rpc-transport.ts'
import type { TileFiles } from './tile-files.ts'

/** Hashes of one request to the node: four tiles, the most whole ones below 1,000 and some. */
const TILES_AT_ONCE = 4
/** Blocks of whose targets the median is pinned. */
const MEDIAN_OF = 101

/** A checkpoint cannot be made; the message says why. */
export class CheckpointError extends Error {
  override name = 'CheckpointError'
}

/** What a checkpoint is made with. */
export interface CheckpointSource {
  /** The outcomes of calls to the node, in their order. */
  call(calls: readonly RpcCall[]): Promise<RpcOutcome[]>
  tiles: TileFiles
  /** Of a chain of one's own, which begins with another block. */
  isEmbedded?: boolean
  onProgress?(blocks: number, total: number): void
}

/**
 * The checkpoint of the chain of a node: the highest block that has the chain's coinbase maturity of others after it, and whose
 * height + 1 is a multiple of 256. Hashes that are kept from an earlier run are not asked for again.
 * @throws {CheckpointError} for another network, a chain too short, or tiles of another chain
 */
export async function makeCheckpoint(blockchain: Blockchain, source: CheckpointSource): Promise<Checkpoint> {
  const height = checkpointHeight(await readNumber(source, 'getblockcount'), CHAINS[blockchain].coinbaseMaturity)
  if (height === undefined) throw new CheckpointError(`The chain of ${blockchain} is too short for a checkpoint.`)
  if (!source.isEmbedded) await checkGenesis(blockchain, source)
  const roots: Uint8Array[] = []
  const total = (height + 1) / TILE_HASHES
  let last = new Uint8Array(0)
  for (let first = 0; first < total; first += TILES_AT_ONCE) {
    const indexes = Array.from({ length: Math.min(TILES_AT_ONCE, total - first) }, (_, offset) => first + offset)
    for (const tile of await readTiles(source, indexes)) {
      roots.push(rootOf(hashesOf(tile), sha256d))
      last = tile.slice(-32 * MEDIAN_OF)
    }
    source.onProgress?.((indexes.at(-1) ?? 0) * TILE_HASHES + TILE_HASHES, height + 1)
  }
  for (const { rank, index, bytes } of upperTiles(roots)) await source.tiles.write(rank, index, bytes)
  return { height, root: reverseHex(rootOf(roots, sha256d)), ...(await readHeaders(source, last, height)) }
}

/** The height of the checkpoint below a tip; undefined where no block is deep enough. */
export function checkpointHeight(tip: number, maturity: number): number | undefined {
  const blocks = Math.floor((tip - maturity + 1) / TILE_HASHES) * TILE_HASHES
  return blocks > 0 ? blocks - 1 : undefined
}

async function checkGenesis(blockchain: Blockchain, source: CheckpointSource): Promise<void> {
  const { genesis } = CHAINS[blockchain]
  const [hash] = await readHashes(source, [0])
  if (genesis !== undefined && hash !== genesis) {
    throw new CheckpointError(`The node is on another network than ${blockchain}'s: its block 0 is ${hash}.`)
  }
}

/** Tiles, from the files or the node. Of those that are kept the last hash is compared with the node's. */
async function readTiles(source: CheckpointSource, indexes: readonly number[]): Promise<Uint8Array[]> {
  const kept = await Promise.all(indexes.map((index) => source.tiles.read(index)))
  const missing = indexes.filter((_, at) => kept[at] === undefined)
  const heights = missing.flatMap((index) => Array.from({ length: TILE_HASHES }, (_, at) => index * TILE_HASHES + at))
  const ends = indexes.filter((_, at) => kept[at] !== undefined).map((index) => (index + 1) * TILE_HASHES - 1)
  const hashes = await readHashes(source, [...heights, ...ends])
  const byHeight = new Map([...heights, ...ends].map((height, at) => [height, hashes[at] ?? '']))
  const tiles: Uint8Array[] = []
  for (const [at, index] of indexes.entries()) {
    const known = kept[at]
    const end = (index + 1) * TILE_HASHES - 1
    if (known && reverseHex(known.subarray(-32)) !== byHeight.get(end)) {
      throw new CheckpointError(`Block ${end} of the node is not the one that is kept in proof/: delete that folder.`)
    }
    const hashAt = (_: unknown, offset: number) => txidBytes(byHeight.get(index * TILE_HASHES + offset) ?? '')
    const tile = known ?? concatBytes(Array.from({ length: TILE_HASHES }, hashAt))
    if (!known) await source.tiles.write(0, index, tile)
    tiles.push(tile)
  }
  return tiles
}

async function readHashes(source: CheckpointSource, heights: readonly number[]): Promise<string[]> {
  const outcomes = await source.call(heights.map((height) => ({ method: 'getblockhash', params: [height] })))
  return heights.map((height, index) => {
    const hash = resultOf(outcomes[index], `getblockhash ${height}`)
    if (typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)) return hash
    throw new CheckpointError(`The node returned no hash for block ${height}.`)
  })
}

/** The median target and the time of the last blocks, whose hashes these are. */
async function readHeaders(
  source: CheckpointSource,
  hashes: Uint8Array,
  height: number,
): Promise<Pick<Checkpoint, 'bits' | 'time'>> {
  const names = Array.from({ length: hashes.length / 32 }, (_, at) =>
    reverseHex(hashes.subarray(32 * at, 32 * at + 32)),
  )
  const outcomes = await source.call(names.map((hash) => ({ method: 'getblockheader', params: [hash, false] })))
  const headers = names.map((hash, index) => {
    const hex = resultOf(outcomes[index], `getblockheader ${hash}`)
    const bytes = typeof hex === 'string' ? fromHex(hex) : undefined
    const header = bytes && readHeader(bytes)
    if (header?.hash !== hash) throw new CheckpointError(`The node returned another header for block ${hash}.`)
    return header
  })
  const bits = headers.map((header) => header.bits).sort((a, b) => (targetOf(a) < targetOf(b) ? -1 : 1))
  const median = bits[Math.floor(bits.length / 2)]
  const time = headers.at(-1)?.time
  if (median === undefined || time === undefined) throw new CheckpointError(`Block ${height} has no header.`)
  return { bits: median, time }
}

async function readNumber(source: CheckpointSource, method: string): Promise<number> {
  const [outcome] = await source.call([{ method, params: [] }])
  const value = resultOf(outcome, method)
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new CheckpointError(`The node returned no number for ${method}.`)
}

function resultOf(outcome: RpcOutcome | undefined, call: string): unknown {
  if (outcome && 'result' in outcome) return outcome.result
  throw new CheckpointError(`The node refused ${call}: ${outcome?.error.message ?? 'it did not answer'}`)
}
