import type { CID } from 'multiformats/cid'

/** A part of a file: the block it begins in, and how many bytes of the file it stands for. */
export interface FilePart {
  cid: CID
  size: number
}

export interface DirectoryLink {
  name: string
  cid: CID
  /** `Tsize`: bytes of the whole DAG below, as its publisher says. */
  size: number | undefined
}

/** What a dag-pb block is by UnixFS. */
export type UnixfsNode =
  | { kind: 'file'; size: number; data: Uint8Array; parts: FilePart[] }
  | { kind: 'directory'; links: DirectoryLink[] }
  | { kind: 'shard'; links: DirectoryLink[]; fanout: number }
  | { kind: 'symlink'; target: Uint8Array }

/** Why a block can't be read; `problem` reads on from "The block <cid>". */
type UnreadableNode = { kind: 'invalid'; problem: string } | { kind: 'unknown'; type: string }

/** A UnixFS message, decoded. */
interface UnixfsMessage {
  type: string
  data?: Uint8Array | undefined
  blockSizes: readonly bigint[]
  fanout?: bigint | undefined
}

/** A link of a dag-pb block, decoded. */
interface PbLink {
  Name?: string | undefined
  Hash: CID
  Tsize?: number | undefined
}

/** Reads a block of which the message and the links are decoded (UnixFS specification, "dag-pb Types"). */
export function unixfsNode(message: UnixfsMessage, pbLinks: readonly PbLink[]): UnixfsNode | UnreadableNode {
  const links = () => pbLinks.map(({ Name = '', Hash, Tsize }) => ({ name: Name, cid: Hash, size: Tsize }))
  const { type, data = new Uint8Array(0), blockSizes } = message
  switch (type) {
    case 'directory':
      return { kind: 'directory', links: links() }
    case 'hamt-sharded-directory': {
      const fanout = Number(message.fanout ?? 0n)
      if (!(fanout >= 8 && fanout <= 1024 && Number.isInteger(Math.log2(fanout)))) {
        return { kind: 'invalid', problem: 'is a sharded directory with an impossible fanout' }
      }
      if (pbLinks.length <= fanout) return { kind: 'shard', links: links(), fanout }
      return { kind: 'invalid', problem: 'is a sharded directory with more links than its fanout' }
    }
    case 'symlink':
      return { kind: 'symlink', target: data }
    case 'file':
    case 'raw': {
      if (blockSizes.length !== pbLinks.length) {
        return { kind: 'invalid', problem: 'does not say how long its parts are' }
      }
      const parts = pbLinks.map((link, index) => ({ cid: link.Hash, size: Number(blockSizes[index]) }))
      const size = parts.reduce((sum, part) => sum + part.size, data.length)
      if (!Number.isSafeInteger(size)) return { kind: 'invalid', problem: 'claims an impossible size' }
      return { kind: 'file', size, data, parts }
    }
    default:
      return { kind: 'unknown', type }
  }
}
