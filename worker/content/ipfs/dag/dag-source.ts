import type { CID } from 'multiformats/cid'
import type { Dag } from '../../../../reader/unixfs/dag.ts'
import type { BlockSource } from '../blocks/block-store.ts'
import { type DagNode, decodeNode, pause } from './dag-node.ts'
import { invalidDag } from './invalid-dag.ts'

/** The blocks of one request as nodes. */
export interface DagSource extends BlockSource, Dag {
  /** @throws {AppError} as {@link BlockSource.get} does. */
  read(cid: CID): Promise<DagNode>
}

/** Levels of a file, deeper than any chunker builds: at 174 links a level, 8 levels hold more than an exabyte. */
const MAX_DEPTH = 32

/** Reads the blocks of a source as nodes. */
export function openDag(source: BlockSource): DagSource {
  return {
    get tier() {
      return source.tier
    },
    get given() {
      return source.given
    },
    ahead: source.ahead,
    take: source.take,
    budget: source.budget,
    get: (cid) => source.get(cid),
    getOnce: (cid) => source.getOnce(cid),
    free: (block) => source.free(block),
    read: async (cid) => decodeNode(cid, await source.get(cid)),
    maxDepth: MAX_DEPTH,
    invalid: invalidDag,
    pause,
  }
}
