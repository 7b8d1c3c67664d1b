import { asyncIterableReader, createDecoder } from '@ipld/car/decoder'
import type { CID } from 'multiformats/cid'
import { AppError, unavailable } from '../errors.ts'
import { dropBlocks, PENDING_PREFIX, pendingBlocks, publishPending } from './pending-blocks.ts'
import { inlineBlock, MAX_BLOCK_BYTES, verifyBlock } from './verify-block.ts'

/** The largest CAR that is taken in, in bytes: what Cloudflare lets a request carry. */
export const MAX_CAR_BYTES = 100 * 1024 * 1024
/** Blocks of one CAR: 100 MB of blocks as small as anyone makes them. */
const MAX_BLOCKS = 100_000
/** Blocks on their way to storage at a time. */
const WRITES = 6
/** A CID is in front of each block in its section. */
const MAX_SECTION_BYTES = MAX_BLOCK_BYTES + 256

const IMPORT_PREFIX = 'import-'
/** Blocks of an import that died are forgotten after this, in milliseconds. */
const ABANDONED_AFTER = 86_400_000

export interface ImportedCar {
  roots: CID[]
  blocks: number
  /** Bytes of the blocks, without the framing. */
  bytes: number
}

/**
 * Takes in a CAR (version 1 or 2) as it arrives: each block is checked and waits until all are there, then they are
 * published, the roots last. Whatever goes wrong, nothing of it becomes readable.
 * @throws {AppError} 400 for what is no CAR or a block that is not what its CID says, 413, 503.
 */
export async function importCar(bucket: R2Bucket, body: AsyncIterable<Uint8Array>): Promise<ImportedCar> {
  const id = `${IMPORT_PREFIX}${crypto.randomUUID()}`
  const imported = await stageBlocks(bucket, id, body).catch(async (error: unknown) => {
    while (!(await dropBlocks(bucket, id)).done);
    if (error instanceof AppError) throw error
    throw new AppError(400, 'invalid_car', 'The body is not a whole CAR (version 1 or 2).', { cause: error })
  })
  while (!(await publishPending(bucket, id, imported.roots)).done);
  return imported
}

async function stageBlocks(bucket: R2Bucket, id: string, body: AsyncIterable<Uint8Array>): Promise<ImportedCar> {
  const sink = pendingBlocks(bucket, id)
  const decoder = createDecoder(boundedReader(body))
  const { roots } = await decoder.header()
  const writes = new Set<Promise<unknown>>()
  let blocks = 0
  let bytes = 0
  try {
    for await (const { cid, bytes: block } of decoder.blocks()) {
      if (++blocks > MAX_BLOCKS) throw new AppError(413, 'too_many_blocks', `A CAR may have ${MAX_BLOCKS} blocks here.`)
      checkBlock(cid, block)
      bytes += block.byteLength
      if (inlineBlock(cid)) continue
      if (writes.size >= WRITES) await Promise.race(writes)
      const write = sink
        .put(cid, block)
        .catch(notStored)
        .finally(() => writes.delete(write))
      // Its failure is met at the next race, or with all at the end.
      write.catch(() => {})
      writes.add(write)
    }
    await Promise.all(writes)
  } finally {
    // A write still under way would come after the import was given up, and stay.
    await Promise.allSettled(writes)
  }
  return { roots, blocks, bytes }
}

function notStored(cause: unknown): never {
  throw unavailable('storage_unavailable', 'The storage of this service does not answer right now.', { cause })
}

function checkBlock(cid: CID, block: Uint8Array): void {
  inlineBlock(cid)
  if (!verifyBlock(cid, block)) {
    throw new AppError(400, 'block_mismatch', `The bytes sent for ${cid} are not the block that it names.`)
  }
}

/** The decoder holds a whole section: a length that no block has is refused before it is waited for. */
function boundedReader(body: AsyncIterable<Uint8Array>) {
  const reader = asyncIterableReader(countedBytes(body))
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

async function* countedBytes(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const part of body) {
    length += part.byteLength
    if (length > MAX_CAR_BYTES) throw carTooLarge()
    yield part
  }
}

/** 413 for a CAR over the limit, whether it says so or turns out to be. */
export function carTooLarge(): AppError {
  return new AppError(413, 'body_too_large', `A CAR may have ${MAX_CAR_BYTES} bytes. Send it in parts.`)
}

/** Forgets the blocks of imports that died on the way; at most a batch a call. */
export async function sweepImports(bucket: R2Bucket, now: number): Promise<void> {
  const { objects } = await bucket.list({ prefix: `${PENDING_PREFIX}${IMPORT_PREFIX}`, limit: 1000 })
  const old = objects.filter(({ uploaded }) => uploaded.getTime() < now - ABANDONED_AFTER).map(({ key }) => key)
  if (old.length > 0) await bucket.delete(old)
}
