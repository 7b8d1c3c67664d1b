import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'
import { CODEC } from '../../protocol/cid.ts'
import { decodeNode, invalidDag } from '../../reader/ipfs/dag-node.ts'
import { IPFS_LIMITS } from '../../reader/ipfs/ipfs-limits.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { shardPrefixLength } from '../../reader/unixfs/shard-prefix.ts'
import { yieldToPage } from './yield-to-page.ts'

/** About the size of a link. The cost of a block grows with its links, each time it is read. */
const BYTES_PER_UNIT = 48
const MAX_UNITS = 131_072

/** What the parents of a block say about it. */
interface Expected {
  /** Bytes of a part of a file, or links of a shard; the block must match it. */
  size: number | undefined
  fanout: number | undefined
  /** Levels above it in its file or directory; the largest found so far. */
  depth: number
}

/** The cost of reading a block again, and its depth when its links were recorded. */
interface Seen {
  units: number
  depth: number
}

/**
 * Limits what one fill may read, because the publisher of a DAG can write any size into it. A few blocks can describe
 * more than anybody could traverse: three levels of 2,000 links blocked a page for 18.6 s and took 2.9 GB.
 */
export class DagBounds {
  #left = MAX_UNITS
  readonly #expected = new Map<string, Expected>()
  readonly #seen = new Map<string, Seen>()

  /**
   * Counts a verified block that is about to be read; the same block has the same `key`.
   * @throws {ReaderError} `too_large`, `invalid_dag`, `unsupported`
   */
  async admit(cid: CID, key: string, block: Uint8Array): Promise<void> {
    const expected = this.#expected.get(key) ?? { size: undefined, fanout: undefined, depth: 0 }
    const seen = this.#seen.get(key)
    if (cid.code !== CODEC.dagPb) {
      check(cid, expected, block.length, undefined)
      return
    }
    const units = seen?.units ?? Math.ceil(block.length / BYTES_PER_UNIT)
    this.#left -= units
    if (this.#left < 0) throw new ReaderError('too_large', 'The DAG has more nodes than the page helper reads.')
    if (seen && seen.depth >= expected.depth) return
    if (expected.depth > IPFS_LIMITS.maxDepth) {
      throw invalidDag(cid, `is more than ${IPFS_LIMITS.maxDepth} levels deep`)
    }
    const node = await decodeNode(cid, block)
    checkForExporter(cid, block)
    this.#seen.set(key, { units, depth: expected.depth })
    check(cid, expected, node.kind === 'file' ? node.size : undefined, node.kind === 'shard' ? node.fanout : undefined)
    const depth = expected.depth + 1
    if (node.kind === 'file') {
      for (const { cid: part, size } of node.parts) await this.#expect(part, { size, fanout: undefined, depth })
    } else if (node.kind === 'shard') {
      const { fanout } = node
      const prefix = shardPrefixLength(fanout)
      for (const { cid: child, name } of node.links) {
        if (name.length <= prefix) await this.#expect(child, { size: undefined, fanout, depth })
      }
    }
  }

  async #expect(cid: CID, { size, fanout, depth }: Expected): Promise<void> {
    await yieldToPage()
    const key = dagKey(cid)
    const known = this.#expected.get(key)
    if (known && (known.size !== size || known.fanout !== fanout)) throw invalidDag(cid, 'is not what its parents say')
    if (!known) this.#expected.set(key, { size, fanout, depth })
    else if (depth > known.depth) known.depth = depth
  }
}

const LATIN1 = new TextDecoder('latin1')

/** A CID as a key for maps in memory, version and codec included; ten times as fast as its text. */
export function dagKey(cid: CID): string {
  return LATIN1.decode(cid.bytes)
}

function check(cid: CID, expected: Expected, size: number | undefined, fanout: number | undefined): void {
  if (expected.fanout !== undefined && expected.fanout !== fanout) throw invalidDag(cid, 'is no shard of its directory')
  if (expected.size === undefined) return
  if (size === undefined) throw invalidDag(cid, 'is no part of a file')
  if (size !== expected.size) throw invalidDag(cid, 'is not as long as its parent says')
}

/** Decodes a block as the exporter does, because errors of the exporter below the root of a file are lost. */
function checkForExporter(cid: CID, block: Uint8Array): void {
  try {
    const { Data } = dagPb.decode(block)
    if (!Data) throw new Error('The node has no data.')
    UnixFS.unmarshal(Data)
  } catch (cause) {
    throw invalidDag(cid, 'is not UnixFS', cause)
  }
}
