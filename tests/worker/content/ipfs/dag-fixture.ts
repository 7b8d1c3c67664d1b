import { env } from 'cloudflare:test'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { BLOCK_PREFIX, blockName } from '../../../../worker/content/ipfs/blocks/block-key.ts'
import { addDirectory, addFile } from '../../../../worker/content/ipfs/dag/add-file.ts'

/** Blocks of a test's own making, by the name they have in storage. */
export class DagFixture {
  readonly blocks = new Map<string, Uint8Array>()
  readonly order: CID[] = []

  async put(cid: CID, bytes: Uint8Array): Promise<CID> {
    if (!this.blocks.has(blockName(cid))) this.order.push(cid)
    this.blocks.set(blockName(cid), bytes)
    return cid
  }

  /** Puts one block of any codec and says its CID. */
  async putBlock(code: number, bytes: Uint8Array): Promise<CID> {
    return this.put(CID.createV1(code, await sha256.digest(bytes)), bytes)
  }

  async addFile(bytes: Uint8Array | string): Promise<CID> {
    return (await addFile(this, once(bytes))).cid
  }

  async addDirectory(files: Record<string, Uint8Array | string>): Promise<CID> {
    async function* entries() {
      for (const [path, bytes] of Object.entries(files)) yield { path, content: once(bytes) }
    }
    return (await addDirectory(this, entries())).cid
  }

  /** Stores all blocks, or those that `keep` names, where the gateway finds them. */
  async store(keep: (cid: CID) => boolean = () => true): Promise<void> {
    const cids = this.order.filter(keep).values()
    const putAll = async () => {
      for (const cid of cids) {
        const bytes = this.blocks.get(blockName(cid))
        if (bytes) await env.BUCKET.put(BLOCK_PREFIX + blockName(cid), bytes)
      }
    }
    await Promise.all(Array.from({ length: 8 }, putAll))
  }

  /** Answers as a trustless gateway that has these blocks. */
  answer(request: Request): Response {
    const [, text = ''] = /^\/ipfs\/([^/]+)$/.exec(new URL(request.url).pathname) ?? []
    const block = this.blocks.get(blockName(CID.parse(text)))
    return block ? new Response(block) : new Response('not here', { status: 404 })
  }
}

async function* once(bytes: Uint8Array | string): AsyncGenerator<Uint8Array> {
  yield typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
}

/** Bytes that do not repeat, so that no two leaves are the same block. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  for (let offset = 0; offset < length; offset += 65536) crypto.getRandomValues(bytes.subarray(offset, offset + 65536))
  return bytes
}
