import { createClient, readChainContent, readIpfs } from '../../client/index.ts'
import { toHex } from '../../protocol/bytes.ts'
import type { Blockchain } from '../../protocol/chains.ts'

/** What is read and uploaded by each browser, and how many bytes the upload has. */
export interface DigestTask {
  api: string
  token: string
  cid: string
  blockchain: Blockchain
  txids: string[]
  size: number
}

/** SHA-256 in hex of what was read, and the item that the upload became. */
export interface Digests {
  ipfs: string
  chain: string
  uploaded: string
}

/** The content that each browser uploads: the same bytes in each. */
export function contentOf(size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, index) => (index * 31 + (index >>> 11)) & 255)
}

/** Reads and uploads by the client in this page. */
export async function findDigests({ api, token, cid, blockchain, txids, size }: DigestTask): Promise<Digests> {
  const client = createClient({ api, key: token })
  const file = new Blob([contentOf(size)], { type: 'video/mp4' })
  const path = `film-${crypto.randomUUID()}.mp4`
  const { ids } = await client.put({ path, content: file }, { to: 'IPFS', pay: false })
  return {
    ipfs: await digestOf(await (await readIpfs(cid, { api })).bytes()),
    chain: await digestOf(await readChainContent({ blockchain, txids }, { api })),
    uploaded: ids.join(),
  }
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}
