import { SLOWEST_BODY } from '../../../contract/limits.ts'
import { toHex } from '../../../protocol/bytes.ts'
import { now as clock } from '../../platform/clock.ts'
import { pacedBody } from '../../platform/flow/body-pace.ts'
import { AppError, invalidField, notFound, unavailable } from '../../platform/http/errors.ts'
import { readBody } from '../../platform/http/read-body.ts'
import { CHUNK_SIZE, chunkLength } from './chunk-plan.ts'
import { parseContentDigest } from './content-digest.ts'
import { refuseKeyForCar } from './refuse-key-for-car.ts'
import { chunkKey } from './sql/item-objects.ts'
import { deleteRefusal, type Item, isUpload, selectOwnItem, updateUploadTime } from './sql/items.ts'
import { putChunk, statChunk } from './sql/upload-objects.ts'

/** How often it is recorded that an upload continues, in milliseconds: each time is a write to D1. */
const TOUCH_INTERVAL = 3_600_000

/**
 * Stores one chunk of the caller's item, whole or not at all; the same again changes nothing.
 * @throws {AppError} 413, 400, 404, 409.
 */
export async function acceptChunk(
  { DB, BUCKET }: { DB: D1Database; BUCKET: R2Bucket },
  request: UploadRequest & { index: string; body: Request },
  now: number,
): Promise<void> {
  const { body } = request
  const digest = body.headers.get('Content-Digest') ?? undefined
  // No chunk of any item is longer; a body that declares more is not read.
  if (Number(body.headers.get('Content-Length') ?? 0) > CHUNK_SIZE) throw chunkTooLong(CHUNK_SIZE)
  const item = await requireUpload(DB, request)
  const index = /^(0|[1-9]\d{0,8})$/.test(request.index) ? Number(request.index) : -1
  const length = chunkLength(item, index)
  if (length === undefined) throw noSuchChunk(item)
  const bytes = await readChunk(body, length)
  const expected = parseContentDigest(digest)
  const sha256 = await hashChunk(bytes)
  if (expected !== undefined && Buffer.from(sha256, 'hex').toString('base64') !== expected) {
    throw new AppError(400, 'digest_mismatch', 'The chunk does not have the SHA-256 of Content-Digest. Send it again.')
  }
  requireUploading(item)
  const chunk = { index, bytes, sha256 }
  const isNew = await putChunk(BUCKET, item.id, chunk, undefined)
  // Where it is stored already, a merge that begins meanwhile reads it: it is neither written again nor deleted.
  const isRepeated = !isNew && (await statChunk(BUCKET, item.id, index))?.sha256 === sha256
  if (!isNew && !isRepeated) await putChunk(BUCKET, item.id, chunk, 'any')
  await settle(DB, BUCKET, item, isRepeated ? undefined : chunkKey(item.id, index), now)
}

/** Who adds bytes to which item. */
export interface UploadRequest {
  userId: string
  /** Whether it was sent with an API key. */
  byKey?: boolean
  itemId: string
}

/** The item that a caller adds bytes to, by whichever protocol. @throws {AppError} 404, 403. */
export async function requireUpload(db: D1Database, { userId, byKey = false, itemId }: UploadRequest): Promise<Item> {
  const item = await selectOwnItem(db, userId, itemId)
  if (!item || !isUpload(item)) throw notFound('You have no upload with this id.')
  refuseKeyForCar(item, byKey)
  return item
}

/** SHA-256 of a chunk, in lowercase hex. */
export async function hashChunk(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

// A merge or removal may have begun while the chunk was written: then what was `written` does not count, and is deleted.
async function settle(
  db: D1Database,
  bucket: R2Bucket,
  before: Item,
  written: string | undefined,
  now: number,
): Promise<void> {
  const item = await selectOwnItem(db, before.userId, before.id)
  if (written !== undefined && item?.state !== 'uploading') await bucket.delete(written)
  if (!item) throw notFound('You have no item with this id.')
  requireUploading(item)
  await touchUpload(db, item, now)
}

/** Records that an upload continues, whose merge may have been refused before. */
export async function touchUpload(db: D1Database, item: Item, now: number): Promise<void> {
  if (item.refusal !== null) await deleteRefusal(db, item.id, now)
  else if (item.updatedAt < now - TOUCH_INTERVAL) await updateUploadTime(db, item.id, now)
}

async function readChunk(request: Request, length: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('Content-Length') ?? 0) > length) throw chunkTooLong(length)
  const paced = request.body && new Response(pacedBody(request.body, clock, tooSlow))
  const bytes = await readBody(paced ?? request, length).catch((error: unknown) => {
    throw error instanceof AppError && error.status === 413 ? chunkTooLong(length) : error
  })
  if (bytes.length < length) {
    throw new AppError(400, 'chunk_too_short', `This chunk has ${bytes.length} bytes; it must have ${length}.`)
  }
  return bytes
}

function tooSlow(): AppError {
  const message = `The chunk arrived slower than ${SLOWEST_BODY} bytes a second. Send it again.`
  return unavailable('upload_stalled', message, { retryAfter: 1 })
}

function chunkTooLong(length: number): AppError {
  return new AppError(413, 'chunk_too_long', `This chunk is longer than the ${length} bytes it must have.`)
}

function noSuchChunk({ chunks }: Item): AppError {
  const fault = chunks === 0 ? 'names no chunk: this item has none.' : `must be a whole number from 0 to ${chunks - 1}.`
  return invalidField('index', fault)
}

/** @throws {AppError} 409 once nothing can be added to an item. */
export function requireUploading(item: Item): void {
  if (item.state === 'merging') throw new AppError(409, 'merging', 'This item is being merged; its upload is closed.')
  if (item.state !== 'uploading')
    throw new AppError(409, 'already_merged', 'This item is merged; its upload is closed.')
}
