import { CarWriter } from '@ipld/car/writer'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { CID } from 'multiformats/cid'
import { blockName } from './ipfs-server.ts'

/** Bytes that a leaf repeats. */
const SEED = 32

/** The leaf with this number; each is another. */
function leafOf(number: number, length: number): Uint8Array {
  const seed = Buffer.alloc(SEED, `leaf ${number} `)
  return Buffer.alloc(length, seed)
}

/** Of leaves only what they repeat is in memory. */
class LeafStore extends MemoryBlockstore {
  readonly leaves = new Map<string, { seed: Uint8Array; length: number }>()

  override put(cid: CID, bytes: Uint8Array): CID {
    if (cid.code === dagPb.code) super.put(cid, bytes)
    else this.leaves.set(blockName(cid), { seed: bytes.slice(0, SEED), length: bytes.length })
    return cid
  }
}

/**
 * A file of many leaves of `chunkSize` bytes at a gateway that counts the bytes of its answers; CARs with `entity-bytes` of it, or
 * with `car: false` only blocks. The file is one node above its leaves.
 */
export async function serveLargeFile(size: number, chunkSize: number, { car }: { car: boolean }) {
  async function* content() {
    for (let at = 0; at < size; at += chunkSize) yield leafOf(at / chunkSize, Math.min(chunkSize, size - at))
  }
  const store = new LeafStore()
  let root: CID | undefined
  const options = { chunker: fixedSize({ chunkSize }), rawLeaves: true, cidVersion: 1 } as const
  for await (const entry of importer([{ content: content() }], store, options)) root = entry.cid
  if (!root) throw new Error('nothing was imported')
  const cid = root
  const node = await bytesOf(cid)

  async function bytesOf(one: CID): Promise<Uint8Array> {
    const leaf = store.leaves.get(blockName(one))
    if (leaf) return Buffer.alloc(leaf.length, leaf.seed)
    const parts: Uint8Array[] = []
    const found = store.get(one)
    if (found instanceof Uint8Array) return found
    for await (const part of found) parts.push(part)
    return Buffer.concat(parts)
  }

  const counted = { bytes: 0, requests: 0 }
  const send = (bytes: Uint8Array) => {
    counted.bytes += bytes.length
    return new Response(new Uint8Array(bytes))
  }
  const fetch = async (address: string): Promise<Response> => {
    counted.requests++
    const url = new URL(address)
    const name = CID.parse(url.pathname.split('/')[2] ?? '')
    if (url.searchParams.get('format') === 'raw') return send(await bytesOf(name))
    if (!car) return new Response(null, { status: 501 })
    const [from = '0', to = '*'] = url.searchParams.get('entity-bytes')?.split(':') ?? []
    const last = to === '*' ? size - 1 : Number(to)
    const wanted = dagPb
      .decode(node)
      .Links.slice(Math.floor(Number(from) / chunkSize), Math.floor(last / chunkSize) + 1)
    const { writer, out } = CarWriter.create([cid])
    const writing = (async () => {
      for (const one of [cid, ...wanted.map(({ Hash }) => Hash)])
        await writer.put({ cid: one, bytes: await bytesOf(one) })
      await writer.close()
    })()
    const parts: Uint8Array[] = []
    for await (const part of out) parts.push(part)
    await writing
    return send(Buffer.concat(parts))
  }
  /** The bytes from `start` to before `end`, as they are in the file. */
  async function slice(start: number, end: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    for (let at = Math.floor(start / chunkSize); at * chunkSize < end; at++) parts.push(leafOf(at, chunkSize))
    const skipped = start % chunkSize
    return Buffer.concat(parts).subarray(skipped, skipped + end - start)
  }
  return { cid: String(cid), fetch, counted, slice }
}
