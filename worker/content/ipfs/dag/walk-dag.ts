import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { CID } from 'multiformats/cid'
import { CODEC } from '../../../../protocol/cid.ts'
import { readAhead } from '../../../../reader/read-ahead.ts'
import { pbLinks } from '../../../../reader/unixfs/pb-links.ts'
import { scanPb } from '../../../../reader/unixfs/scan-node.ts'
import { shareEventLoop } from '../../../platform/flow/budget.ts'
import { SeenCids } from '../blocks/block-key.ts'
import type { BlockSource } from '../blocks/block-store.ts'
import { asInvalidDag, invalidDag } from './invalid-dag.ts'
import { requireReadable } from './resolve-path.ts'

/** A block of a DAG. */
export interface DagBlock {
  cid: CID
  block: Uint8Array
}

/** What a portion of links that are decoded and remembered is counted as, in units of a budget. */
const PORTION_UNITS = 24

/** What is above the block that is read is held in memory. */
const MAX_DEPTH = 256

/**
 * Every block of a DAG, depth first in the order of links, read a few blocks ahead. With `seen`, each block is returned
 * once and what is below it is not walked again, so the work is bounded by the number of blocks. Blocks in identity CIDs are
 * walked but not returned.
 * @throws {AppError} as `BlockSource.get` does, and 422.
 */
export async function* walkDag(
  source: BlockSource,
  root: DagBlock,
  seen: SeenCids | undefined,
): AsyncGenerator<DagBlock> {
  // One level each, from the root to the block that is read.
  const levels: AsyncGenerator<DagBlock>[] = [only(root)]
  try {
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const { value, done } = await level.next()
      if (done) {
        levels.pop()
        continue
      }
      const { cid } = value
      // It may have been returned from a sibling's subtree since it was requested.
      if (seen?.has(cid)) continue
      if (levels.length > MAX_DEPTH) throw invalidDag(cid, `is more than ${MAX_DEPTH} levels deep`)
      seen?.add(cid)
      // Before it is returned: after an answer has begun, it can only be cut off.
      if (hasDataLinks(cid)) requireReadable(cid, value.block)
      if (cid.code === CODEC.dagPb) scanLinks(cid, value.block)
      if (!isIdentity(cid)) yield value
      levels.push(childrenOf(source, value, seen))
    }
  } finally {
    for (const level of levels) await level.return(undefined)
  }
}

async function* only(root: DagBlock): AsyncGenerator<DagBlock> {
  yield root
}

async function* childrenOf(
  source: BlockSource,
  { cid, block }: DagBlock,
  seen: SeenCids | undefined,
): AsyncGenerator<DagBlock> {
  const asked = new SeenCids()
  const isWanted = (child: CID): boolean => !seen || (!seen.has(child) && asked.add(child))
  for await (const links of linksOf(cid, block)) {
    const wanted = links.filter(isWanted)
    yield* readAhead(wanted, source.ahead, async (child) => ({ cid: child, block: await source.get(child) }))
  }
}

/** An identity CID's block is in the CID itself and never sent (Trustless Gateway specification, CAR `dups`). */
export function isIdentity(cid: CID): boolean {
  return cid.multihash.code === 0
}

/** The links of a block in the order they are written, in portions; blocks of other codecs have none. */
async function* linksOf(cid: CID, block: Uint8Array): AsyncGenerator<CID[]> {
  if (cid.code === CODEC.dagPb) {
    const portions = pbLinks(block, scanLinks(cid, block), () => shareEventLoop(PORTION_UNITS))
    try {
      for await (const links of portions) yield links.map(({ Hash }) => Hash)
    } catch (error) {
      throw asInvalidDag(cid, error)
    }
  } else if (hasDataLinks(cid)) {
    yield cidsWithin(decodeLinked(cid, block))
  }
}

/** The positions of the links of a dag-pb block. @throws {AppError} 422 if it is not dag-pb, or has too many links. */
function scanLinks(cid: CID, block: Uint8Array): readonly number[] {
  try {
    return scanPb(block).bounds
  } catch (error) {
    throw asInvalidDag(cid, error)
  }
}

function hasDataLinks({ code }: CID): boolean {
  return code === CODEC.dagCbor || code === CODEC.dagJson
}

function decodeLinked(cid: CID, block: Uint8Array): unknown {
  try {
    return cid.code === CODEC.dagCbor ? dagCbor.decode(block) : dagJson.decode(block)
  } catch (cause) {
    throw invalidDag(cid, 'is not of the codec that its CID names', cause)
  }
}

/** The links within a value in their order; it may be nested deeper than functions can be. */
function cidsWithin(value: unknown): CID[] {
  const found: CID[] = []
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    const cid = CID.asCID(next)
    if (cid) found.push(cid)
    else if (typeof next === 'object' && next !== null && !ArrayBuffer.isView(next)) {
      left.push(...Object.values(next).reverse())
    }
  }
  return found
}
