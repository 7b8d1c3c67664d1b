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
  blockSizes: readonly (bigint | number)[]
  fanout?: bigint | undefined
}

/** A part whose CID its link knows, which may be made only when it is asked for. */
class LinkedPart implements FilePart {
  readonly size: number
  readonly #link: DirectoryLink

  constructor(link: DirectoryLink, size: number) {
    this.#link = link
    this.size = size
  }

  get cid(): CID {
    return this.#link.cid
  }
}

/** Reads a block of which the message and the links are decoded (UnixFS specification, "dag-pb Types"). */
export function unixfsNode(message: UnixfsMessage, links: DirectoryLink[]): UnixfsNode | UnreadableNode {
  const { type, data = new Uint8Array(0), blockSizes } = message
  switch (type) {
    case 'directory':
      return { kind: 'directory', links }
    case 'hamt-sharded-directory': {
      const fanout = Number(message.fanout ?? 0n)
      if (!(fanout >= 8 && fanout <= 1024 && Number.isInteger(Math.log2(fanout)))) {
        return { kind: 'invalid', problem: 'is a sharded directory with an impossible fanout' }
      }
      if (links.length <= fanout) return { kind: 'shard', links, fanout }
      return { kind: 'invalid', problem: 'is a sharded directory with more links than its fanout' }
    }
    case 'symlink':
      return { kind: 'symlink', target: data }
    case 'file':
    case 'raw': {
      if (blockSizes.length !== links.length) {
        return { kind: 'invalid', problem: 'does not say how long its parts are' }
      }
      const parts = links.map((link, index) => new LinkedPart(link, Number(blockSizes[index])))
      const size = parts.reduce((sum, part) => sum + part.size, data.length)
      if (!Number.isSafeInteger(size)) return { kind: 'invalid', problem: 'claims an impossible size' }
      return { kind: 'file', size, data, parts }
    }
    default:
      return { kind: 'unknown', type }
  }
}
