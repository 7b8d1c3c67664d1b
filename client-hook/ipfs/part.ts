import type { Content } from '../content.ts'
import type { PartTools } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { startIpfsNode } from './ipfs-node.ts'

/** The IPFS node. */
export interface IpfsPart {
  start(tools: PartTools): Promise<IpfsNode>
}

/** A started node. */
export interface IpfsNode {
  /** The verified bytes of `<cid>[/path]`. */
  read(path: string, options: IpfsReadOptions): Promise<Content>
}

export interface IpfsReadOptions {
  mediaType: string
  /** Whether all of the directory that a page lies in is wanted with it. */
  site: boolean
  onProgress(loaded: number, total: number | undefined): void
}

const part: IpfsPart = { start: startIpfsNode }
providePart(part)
