import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { CODEC } from '../../../protocol/cid.ts'
import { readAhead } from '../../flow/read-ahead.ts'
import { BLOCKS_AHEAD, type BlockSource } from '../blocks/block-store.ts'
import { invalidDag } from './dag-node.ts'

/** A block of a DAG. */
export interface DagBlock {
  cid: CID
  block: Uint8Array
}

const MAX_DEPTH = 512

/**
 * Every block of a DAG, depth first in the order of links, a few ahead of the reader. With `seen` a block comes
 * once, and what is below it is not walked again: the work is bounded by the blocks there are. Identity CIDs are
 * walked through and never given.
 * @throws {AppError} as `BlockSource.get` does, and 422.
 */
export async function* walkDag(
  source: BlockSource,
  { cid, block }: DagBlock,
  seen: Set<string> | undefined,
  depth = 0,
): AsyncGenerator<DagBlock> {
  if (depth > MAX_DEPTH) throw invalidDag(cid, `is more than ${MAX_DEPTH} levels deep`)
  if (!isIdentity(cid)) {
    seen?.add(cid.toString())
    yield { cid, block }
  }
  const children = linksOf(cid, block).filter((child) => !seen?.has(child.toString()))
  const blocks = readAhead(children, BLOCKS_AHEAD, (child) => source.get(child))
  for (const child of children) {
    const { value: bytes } = await blocks.next()
    // A sibling's subtree may have brought it since the list was made.
    if (!bytes || seen?.has(child.toString())) continue
    yield* walkDag(source, { cid: child, block: bytes }, seen, depth + 1)
  }
}

/** An identity CID's block is in the CID itself and never sent (Trustless Gateway specification, CAR `dups`). */
export function isIdentity(cid: CID): boolean {
  return cid.multihash.code === 0
}

/** The links of a block in the order they are written; blocks of other codecs have none. */
function linksOf(cid: CID, block: Uint8Array): CID[] {
  try {
    switch (cid.code) {
      case CODEC.dagPb:
        return dagPb.decode(block).Links.map((link) => link.Hash)
      case CODEC.dagCbor:
        return cidsWithin(dagCbor.decode(block))
      case CODEC.dagJson:
        return cidsWithin(dagJson.decode(block))
      default:
        return []
    }
  } catch (cause) {
    throw invalidDag(cid, 'is not of the codec that its CID names', cause)
  }
}

function cidsWithin(value: unknown): CID[] {
  const cid = CID.asCID(value)
  if (cid) return [cid]
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return []
  return Object.values(value).flatMap(cidsWithin)
}
