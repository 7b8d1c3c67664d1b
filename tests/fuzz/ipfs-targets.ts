import { CarReader } from '@ipld/car/reader'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { CODEC } from '../../protocol/cid.ts'
import { decodeNode as decodeForReaders } from '../../reader/ipfs/dag-node.ts'
import { ReadAheadPermits } from '../../reader/read-ahead.ts'
import { blockKey, SeenCids } from '../../worker/content/ipfs/blocks/block-key.ts'
import { checkedCar } from '../../worker/content/ipfs/blocks/import-car.ts'
import { openBudget } from '../../worker/content/ipfs/blocks/open-blocks.ts'
import { blockWork, inlineBlock } from '../../worker/content/ipfs/blocks/verify-block.ts'
import { decodeNode } from '../../worker/content/ipfs/dag/dag-node.ts'
import { type DagSource, openDag } from '../../worker/content/ipfs/dag/dag-source.ts'
import { readFile } from '../../worker/content/ipfs/dag/read-file.ts'
import { decodeData, isReadable, resolvePath } from '../../worker/content/ipfs/dag/resolve-path.ts'
import { walkDag } from '../../worker/content/ipfs/dag/walk-dag.ts'
import { listDirectory } from '../../worker/content/ipfs/formats/represent-directory.ts'
import { representTar } from '../../worker/content/ipfs/formats/represent-tar.ts'
import { readIpnsRecord } from '../../worker/content/ipfs/names/fetch-ipns-record.ts'
import { memoryOf } from '../../worker/platform/flow/memory-budget.ts'
import { AppError } from '../../worker/platform/http/errors.ts'
import { type FuzzTarget, require } from './target.ts'

/** Less than a request may: many are tried each second. */
const LIMITS = { maxWork: 1024, maxResponseBytes: 4 << 20 }
/** The bytes that are sent account for 128 units a MiB. */
const MAX_WORK = LIMITS.maxWork + 4 * 128

const CODECS = [CODEC.dagPb, CODEC.dagCbor, CODEC.dagJson, CODEC.cbor, CODEC.json, CODEC.raw]

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function readCar(input: Uint8Array): Promise<void> {
  let bytes = 0
  for await (const part of checkedCar(once(input), { roots: [], blocks: 0, bytes: 0 })) bytes += part.length
  require(bytes <= input.length, 'a CAR that is taken in is what was sent')
}

/** The first byte chooses the codec, the rest is the block. */
async function readBlock(input: Uint8Array): Promise<void> {
  const code = CODECS[(input[0] ?? 0) % CODECS.length] ?? CODEC.raw
  const block = input.subarray(1)
  const cid = CID.createV1(code, identity.digest(block.subarray(0, 32)))
  const node = await decodeNode(cid, block)
  if (node.kind === 'file') require(Number.isSafeInteger(node.size) && node.size >= 0, 'a file has a size')
  if (node.kind === 'data' && isReadable(cid, block)) decodeData(node)
  await decodeForReaders(cid, block)
}

/** Blocks of a CAR as if they had been verified: what is in them is what is tried here. */
async function openCar(input: Uint8Array): Promise<{ root: CID; source: () => CountedSource } | undefined> {
  const blocks = new Map<string, Uint8Array>()
  let root: CID | undefined
  try {
    const reader = await CarReader.fromBytes(input)
    for await (const { cid, bytes } of reader.blocks()) blocks.set(blockKey(CID.asCID(cid) ?? fail()), bytes)
    ;[root] = await reader.getRoots()
  } catch {
    return undefined
  }
  if (!root) return undefined
  return { root, source: () => sourceOf(blocks) }
}

function fail(): never {
  throw new Error('This is no CID.')
}

/** Blocks that count what work was allowed. */
type CountedSource = DagSource & { done: () => number }

function sourceOf(blocks: ReadonlyMap<string, Uint8Array>): CountedSource {
  const budget = openBudget(LIMITS)
  let done = 0
  async function get(cid: CID): Promise<Uint8Array> {
    const block = inlineBlock(cid) ?? blocks.get(blockKey(cid))
    if (!block) throw new AppError(404, 'block_not_found', 'The block is not here.')
    const work = blockWork(cid, block.length)
    await budget.spend(work)
    done += work
    return block
  }
  const ahead = new ReadAheadPermits(4)
  const take = memoryOf(undefined)
  const source = openDag({ tier: 'r2', given: undefined, ahead, take, budget, get, getOnce: get, free: () => {} })
  return Object.assign(source, { done: () => done })
}

const DAG_ANSWERS: readonly ((source: DagSource, root: CID) => Promise<void>)[] = [
  async function asListing(source, root) {
    const node = await source.read(root)
    if (node.kind === 'directory' || node.kind === 'shard') await listDirectory(source, node, 100)
  },
  async function asFile(source, root) {
    const node = await source.read(root)
    if (node.kind !== 'file' || node.size === 0) return
    let bytes = 0
    const end = Math.min(node.size, 1 << 20) - 1
    for await (const part of readFile(source, node, { start: 0, end })) bytes += part.length
    require(bytes === end + 1, 'a range of a file has the bytes that it says')
  },
  async function asCar(source, root) {
    await sendAll(source, walkDag(source, { cid: root, block: await source.get(root) }, undefined))
  },
  async function asCarWithoutTwins(source, root) {
    await sendAll(source, walkDag(source, { cid: root, block: await source.get(root) }, new SeenCids()))
  },
  async function asTar(source, root) {
    const resolved = await resolvePath(source, root, [])
    if ('missing' in resolved) return
    const { body } = representTar({ url: TAR_URL, source, resolved })
    if (body instanceof Uint8Array || body.kind !== 'stream') return
    for await (const part of body.read()) source.budget.send(part.length)
  },
  async function asPath(source, root) {
    await resolvePath(source, root, ['a', '0', 'f00000', 'index.html'])
  },
]

const TAR_URL = new URL('https://api.example/ipfs/x?format=tar')

async function sendAll(source: DagSource, blocks: AsyncIterable<{ block: Uint8Array }>): Promise<void> {
  for await (const { block } of blocks) source.budget.send(block.length)
}

async function walkCar(input: Uint8Array): Promise<void> {
  const car = await openCar(input)
  if (!car) return
  for (const answer of DAG_ANSWERS) {
    const source = car.source()
    try {
      await answer(source, car.root)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    } finally {
      source.budget.rest()
    }
    require(source.done() <= MAX_WORK, 'an answer does not cost more than its budget')
  }
}

/** The name whose records `write-corpus.ts` signs. */
export const RECORD_KEY = CID.parse('bafzaajaiaejcbcui4poxicprsx6vfwznhs5f24wkm4e36hmucin7g5eiag2a6324')

async function readRecord(input: Uint8Array): Promise<void> {
  try {
    const { sequence, validUntil, ttl } = await readIpnsRecord(RECORD_KEY, input)
    require(sequence >= 0n && Number.isFinite(validUntil) && Number.isFinite(ttl), 'a record has numbers')
  } catch (error) {
    // Whatever is wrong with a record, its caller tries another router.
    require(error instanceof Error, 'a record is refused with an error')
  }
}

export const IPFS_TARGETS: readonly FuzzTarget[] = [
  { name: 'car', run: readCar, words: ['\u0001q\u0012 ', '\u0001U\u0012 ', 'roots', 'version', '\u0012 ', '¡'] },
  {
    name: 'block',
    run: readBlock,
    words: ['\n\u0002\b\u0001', '\u0012', '\b\u0005', '{"/":"', '"}', '\u00d8*', '\u00a1', '['],
  },
  { name: 'dag', run: walkCar, words: ['\u0001p\u0012 ', '\n\u0002\b\u0001', '\b\u0005', '00', 'FF', 'f00000'] },
  {
    name: 'ipns-record',
    run: readRecord,
    words: ['\n', '\u0012', 'J', 'Value', 'Sequence', 'Validity', 'TTL', '/ipfs/'],
  },
]
