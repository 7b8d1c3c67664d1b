import type { PartTools } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { type IpfsNode, startIpfsNode } from './ipfs-node.ts'
import type { PageNode } from './page-node.ts'

/** The exports of the lazily loaded part that contains the IPFS node. */
export interface IpfsPart {
  start(tools: PartTools, page: PageNode): Promise<IpfsNode>
}

export const part: IpfsPart = { start: startIpfsNode }
providePart(part)
