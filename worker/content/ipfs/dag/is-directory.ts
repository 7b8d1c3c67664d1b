import type { CID } from 'multiformats/cid'
import { CODEC } from '../../../../protocol/cid.ts'
import { InvalidNodeError, scanNode } from '../../../../reader/unixfs/scan-node.ts'

/** Whether a block is a UnixFS directory, plain or sharded. Blocks of any form may be asked about. */
export function isDirectory(cid: CID, block: Uint8Array): boolean {
  if (cid.code !== CODEC.dagPb) return false
  try {
    const { kind } = scanNode(block).head
    return kind === 'directory' || kind === 'shard'
  } catch (error) {
    if (error instanceof InvalidNodeError) return false
    throw error
  }
}
