import type { CID } from 'multiformats/cid'

/** A part of a file: its root block, and its length in bytes of the file. */
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

/** What a dag-pb block is by its UnixFS message alone (UnixFS specification, "dag-pb Types"). */
export type UnixfsHead =
  | { kind: 'file'; size: number; data: Uint8Array; blockSizes: readonly number[] }
  | { kind: 'directory' }
  | { kind: 'shard'; fanout: number }
  | { kind: 'symlink'; target: Uint8Array }

/** What a dag-pb block is by UnixFS. */
export type UnixfsNode =
  | { kind: 'file'; size: number; data: Uint8Array; parts: FilePart[] }
  | { kind: 'directory'; links: DirectoryLink[] }
  | { kind: 'shard'; links: DirectoryLink[]; fanout: number }
  | { kind: 'symlink'; target: Uint8Array }

/** A part whose CID is decoded from its link when it is used. */
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

/** The node that has this head and these links; the lengths of a file's parts are as many as the links. */
export function withLinks(head: UnixfsHead, links: DirectoryLink[]): UnixfsNode {
  switch (head.kind) {
    case 'directory':
      return { kind: 'directory', links }
    case 'shard':
      return { kind: 'shard', links, fanout: head.fanout }
    case 'symlink':
      return head
    case 'file': {
      const { size, data, blockSizes } = head
      return {
        kind: 'file',
        size,
        data,
        parts: links.map((link, index) => new LinkedPart(link, blockSizes[index] ?? 0)),
      }
    }
  }
}
