import { SLOWEST_BODY } from '../../../../contract/limits.ts'
import type { Env } from '../../../platform/bindings.ts'
import { AppError, notFound, unavailable } from '../../../platform/http/errors.ts'
import { requireUpload, requireUploading, touchUpload, type UploadRequest } from '../accept-chunk.ts'
import { deleteChunks } from '../sql/item-objects.ts'
import { type Item, selectOwnItem } from '../sql/items.ts'
import { acquireUploadLease, releaseUploadLease, requestUploadLease } from '../sql/upload-leases.ts'
import { tailKey } from '../sql/upload-objects.ts'
import { bodyPieces } from './body-pieces.ts'
import { readHeldBytes } from './held-bytes.ts'
import { type PartEnd, receivePart } from './receive-part.ts'
import { renewLeaseWhile } from './renew-lease.ts'

/** How often, and at what interval, a writer is polled until it has ended: longer than an idle one needs for that. */
const WRITER_LOOKS = 20
const WRITER_LOOK_MS = 150

/** A part of an upload as it is sent; `length` as declared, in bytes. */
export interface UploadPart extends UploadRequest {
  offset: number
  length: number | undefined
  body: ReadableStream<Uint8Array> | null
}

/**
 * Appends a part to the caller's upload. What arrives is stored to the byte, even when the
 * connection is cut; it has to run to its end then, too.
 * @returns the item, and the offset at which the upload continues.
 * @throws {AppError} 404; 409 at another offset or for a closed upload; 413; 423 while another request writes; 503.
 */
export async function writeUpload(
  { DB, BUCKET }: Pick<Env, 'DB' | 'BUCKET'>,
  part: UploadPart,
  clock: () => number,
): Promise<{ item: Item; offset: number }> {
  const item = await requireUpload(DB, part)
  requireUploading(item)
  const lease = { itemId: item.id, holder: crypto.randomUUID() }
  if (!(await acquireUploadLease(DB, lease.itemId, lease.holder, clock()))) throw uploadBusy()
  try {
    const { offset, end } = await append(DB, BUCKET, item, part, lease, clock)
    await settle(DB, BUCKET, item, clock())
    refuseEnd(end, item.size)
    return { item, offset }
  } finally {
    await releaseUploadLease(DB, lease.itemId, lease.holder)
  }
}

async function append(
  db: D1Database,
  bucket: R2Bucket,
  item: Item,
  { offset, length, body }: UploadPart,
  lease: { itemId: string; holder: string },
  clock: () => number,
): Promise<{ offset: number; end: PartEnd | 'stalled' }> {
  const held = await readHeldBytes(bucket, item)
  if (held.offset !== offset) {
    throw new AppError(
      409,
      'wrong_offset',
      `The upload continues at offset ${held.offset}, not at ${offset}. HEAD returns the offset.`,
    )
  }
  if (length !== undefined && offset + length > item.size) throw uploadTooLong(item.size)
  if (!body) return { offset, end: 'whole' }
  const pieces = bodyPieces(body)
  const renewal = renewLeaseWhile(db, lease, clock, () => void pieces.cancel().catch(() => {}))
  try {
    const received = await receivePart(bucket, item, held, pieces, renewal.onBytes)
    return { offset: received.offset, end: renewal.stopped ?? received.end }
  } finally {
    renewal.end()
  }
}

// Removed while the part was read: nothing of it must stay. Otherwise the upload lives for another while.
async function settle(db: D1Database, bucket: R2Bucket, before: Item, now: number): Promise<void> {
  const item = await selectOwnItem(db, before.userId, before.id)
  if (!item) {
    await deleteChunks(bucket, before.id, before.chunks)
    await bucket.delete(tailKey(before.id))
    throw notFound('This upload was removed.')
  }
  await touchUpload(db, item, now)
}

function refuseEnd(end: PartEnd | 'stalled', size: number): void {
  if (end === 'displaced') throw uploadBusy()
  if (end === 'too_long') throw uploadTooLong(size)
  if (end === 'stalled') {
    throw unavailable(
      'upload_stalled',
      `The upload stalled: no bytes arrived, or fewer than ${SLOWEST_BODY} a second. What arrived is stored. Continue from its offset.`,
      {
        retryAfter: 1,
      },
    )
  }
}

/**
 * Waits a while for a request that is writing the upload: one whose connection was cut is storing what arrived, and
 * the offset is known after that. @throws {AppError} 423 when it does not end.
 */
export async function waitForWriter(db: D1Database, itemId: string, clock: () => number): Promise<void> {
  for (let looks = 0; looks < WRITER_LOOKS; looks++) {
    if (!(await requestUploadLease(db, itemId, clock()))) return
    await new Promise((resolve) => setTimeout(resolve, WRITER_LOOK_MS))
  }
  throw uploadBusy()
}

function uploadBusy(): AppError {
  return new AppError(423, 'upload_busy', 'Another request is writing this upload. Try again in a moment.')
}

function uploadTooLong(size: number): AppError {
  return new AppError(413, 'upload_too_long', `The bytes reach beyond the ${size} that the upload has.`)
}
