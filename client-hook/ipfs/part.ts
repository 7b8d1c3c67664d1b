import type { PartTools } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { type IpfsNode, startIpfsNode } from './ipfs-node.ts'

/** What reads IPFS. */
export interface IpfsPart {
  start(tools: PartTools): Promise<IpfsNode>
}

export const part: IpfsPart = { start: async (tools) => startIpfsNode(tools) }
providePart(part)
