import type { R2Bucket } from '@cloudflare/workers-types'
import { asyncIterableReader, createDecoder } from '@ipld/car/decoder'
import type { CID } from 'multiformats/cid'
import PQueue from 'p-queue'
import { CAR_LIMITS } from '../../../../contract/limits.ts'
import { returnToEventLoop } from '../../../platform/flow/budget.ts'
import { putStream } from '../../../platform/flow/put-stream.ts'
import { AppError, unavailable } from '../../../platform/http/errors.ts'
import { BLOCK_PREFIX, blockName } from './block-key.ts'
import { inlineBlock, MAX_BLOCK_BYTES, verifyBlock } from './verify-block.ts'

/** The largest CAR that is accepted, in bytes: Cloudflare's limit of a request's body. */
export const MAX_CAR_BYTES = CAR_LIMITS.bytes
/** Blocks of one CAR: each is a write of its own. */
const MAX_BLOCKS = CAR_LIMITS.blocks
/** The same for an upload: in addition each chunk is read twice, and one invocation may do 10,000 operations. */
const MAX_UPLOADED_BLOCKS = CAR_LIMITS.uploadedBlocks
/** Blocks that are imported before other requests have their turn. */
const PORTION = 50
/** Roots are held in memory until all else is there. */
const MAX_ROOTS = 16
/** Blocks on their way to storage at a time. */
const WRITES = 6
/** A CID is in front of each block in its section. */
const MAX_SECTION_BYTES = MAX_BLOCK_BYTES + 256

/** R2 prefix of CARs that were checked and whose blocks are being published. */
const IMPORT_PREFIX = 'ipfs/imports/'
/** A CAR whose import died is forgotten after this, in milliseconds. */
const ABANDONED_AFTER = 86_400_000

export interface ImportedCar {
  roots: CID[]
  blocks: number
  /** Bytes of the blocks, without the framing. */
  bytes: number
}

/**
 * Imports a CAR (version 1 or 2): it is stored as it arrives, and each block is verified. Only a complete one is then read
 * again and its blocks published, the roots last, so that no block of an invalid CAR becomes readable.
 * @throws {AppError} 400 if it is no CAR or a block does not match its CID, 413, 503.
 */
export async function importCar(bucket: R2Bucket, body: AsyncIterable<Uint8Array>): Promise<ImportedCar> {
  const key = `${IMPORT_PREFIX}${crypto.randomUUID()}`
  const imported: ImportedCar = { roots: [], blocks: 0, bytes: 0 }
  const length = await putStream(bucket, key, checkedCar(body, imported, BODY_LIMITS), MAX_CAR_BYTES)
  if (length === undefined) throw carTooLarge()
  const stored = await bucket.get(key)
  if (!stored)
    throw unavailable('storage_unavailable', "This service's storage does not answer right now. Try again in a minute.")
  await publishCar(bucket, stored.body)
  await bucket.delete(key)
  return imported
}

/** The result of importing an uploaded CAR; its root is the first in the header. */
export interface ImportedBlocks {
  root: CID
  /** Bytes of the blocks, without the framing. */
  bytes: number
  rootBlock: Uint8Array
}

/**
 * Imports an uploaded CAR, read by `open` as often as needed: each block is verified first, and only the blocks of a complete
 * CAR are published, the roots last. It can be repeated after an interruption.
 * @throws {AppError} 400 and 413 as {@link importCar}, and if its first root is not in it.
 */
export async function importBlocks(bucket: R2Bucket, open: () => AsyncIterable<Uint8Array>): Promise<ImportedBlocks> {
  const imported: ImportedCar = { roots: [], blocks: 0, bytes: 0 }
  const limits: CarLimits = { bytes: Number.POSITIVE_INFINITY, blocks: MAX_UPLOADED_BLOCKS }
  let rootBlock: Uint8Array | undefined
  const onBlock = (cid: CID, block: Uint8Array) => {
    if (imported.roots[0]?.equals(cid)) rootBlock = block.slice()
  }
  for await (const _ of checkedCar(open(), imported, limits, onBlock)) {
    // It is already stored in chunks, so here it is only verified.
  }
  const [root] = imported.roots
  if (!root || !rootBlock) {
    throw new AppError(400, 'invalid_car', 'The CAR lacks the block of its first root. Send a CAR that contains it.')
  }
  await publishCar(bucket, open())
  return { root, rootBlock, bytes: imported.bytes }
}

/** The most that a CAR may have. */
interface CarLimits {
  bytes: number
  blocks: number
}

const BODY_LIMITS: CarLimits = { bytes: MAX_CAR_BYTES, blocks: MAX_BLOCKS }

/** The bytes of a CAR, each returned once the blocks in it are verified; counts into `imported`. */
export async function* checkedCar(
  body: AsyncIterable<Uint8Array>,
  imported: ImportedCar,
  limits: CarLimits = BODY_LIMITS,
  onBlock?: (cid: CID, bytes: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const taken: Uint8Array[] = []
  const decoder = createDecoder(boundedReader(body, taken, limits.bytes))
  try {
    imported.roots = (await decoder.header()).roots
    if (imported.roots.length > MAX_ROOTS) {
      throw new AppError(400, 'too_many_roots', `A CAR may have ${MAX_ROOTS} roots here.`)
    }
    for await (const { cid, bytes } of decoder.blocks()) {
      await checkBlock(cid, bytes)
      imported.blocks++
      if (imported.blocks > limits.blocks) throw tooManyBlocks(limits.blocks)
      onBlock?.(cid, bytes)
      if (imported.blocks % PORTION === 0) await returnToEventLoop()
      imported.bytes += bytes.byteLength
      yield* taken.splice(0)
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError(400, 'invalid_car', 'The body is not a whole CAR (version 1 or 2).', { cause })
  }
  yield* taken
}

async function checkBlock(cid: CID, block: Uint8Array): Promise<void> {
  inlineBlock(cid)
  if (!(await verifyBlock(cid, block))) {
    throw new AppError(400, 'block_mismatch', `The bytes sent for ${cid} are not the block that it names.`)
  }
}

/** The decoder holds a whole section: a length that no block has is refused before it is waited for. */
function boundedReader(body: AsyncIterable<Uint8Array>, taken: Uint8Array[], mostBytes: number) {
  const reader = asyncIterableReader(recorded(body, taken, mostBytes))
  return {
    upTo: (length: number) => reader.upTo(length),
    exactly(length: number, seek?: boolean): Promise<Uint8Array> {
      if (length <= MAX_SECTION_BYTES) return reader.exactly(length, seek)
      const message = `A block may have ${MAX_BLOCK_BYTES} bytes; this CAR has one of ${length}.`
      throw new AppError(400, 'block_too_large', message)
    },
    seek: (length: number) => reader.seek(length),
    get pos() {
      return reader.pos
    },
  }
}

async function* recorded(
  body: AsyncIterable<Uint8Array>,
  taken: Uint8Array[],
  mostBytes: number,
): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const part of body) {
    length += part.byteLength
    if (length > mostBytes) throw carTooLarge()
    taken.push(part)
    yield part
  }
}

/**
 * Copies the blocks of a CAR that was checked to where they are read, below `prefix`, the roots last; doing it again changes
 * nothing.
 */
export async function publishCar(
  bucket: R2Bucket,
  car: AsyncIterable<Uint8Array>,
  prefix = BLOCK_PREFIX,
): Promise<void> {
  const decoder = createDecoder(asyncIterableReader(car))
  const roots = new Set((await decoder.header()).roots.map(blockName))
  const last = new Map<string, Uint8Array>()
  const writes = new PQueue({ concurrency: WRITES })
  let failure: unknown
  const put = async (name: string, bytes: Uint8Array) => {
    await writes.onSizeLessThan(1)
    if (failure !== undefined) throw failure
    const write = writes.add(() => bucket.put(prefix + name, bytes))
    write.catch((error: unknown) => {
      failure ??= error
    })
  }
  const finish = async () => {
    await writes.onIdle()
    if (failure !== undefined) throw failure
  }
  for await (const { cid, bytes } of decoder.blocks()) {
    const name = blockName(cid)
    if (inlineBlock(cid)) continue
    if (roots.has(name)) last.set(name, bytes)
    else await put(name, bytes)
  }
  await finish()
  for (const [name, bytes] of last) await put(name, bytes)
  await finish()
}

/** 413 for a CAR over the limit, whether it says so or turns out to be. */
export function carTooLarge(): AppError {
  return new AppError(
    413,
    'body_too_large',
    `A CAR may have ${MAX_CAR_BYTES} bytes as one body. Upload it by tus, with kind=car.`,
  )
}

function tooManyBlocks(most: number): AppError {
  return new AppError(413, 'too_many_blocks', `A CAR may have ${most} blocks here. Send it in parts.`)
}

/** Forgets CARs whose import died on the way; at most a batch a call. */
export async function sweepImports(bucket: R2Bucket, now: number): Promise<void> {
  const { objects } = await bucket.list({ prefix: IMPORT_PREFIX, limit: 1000 })
  const old = objects.filter(({ uploaded }) => uploaded.getTime() < now - ABANDONED_AFTER).map(({ key }) => key)
  if (old.length > 0) await bucket.delete(old)
}
