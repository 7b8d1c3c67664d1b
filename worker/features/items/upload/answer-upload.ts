import type { Context } from 'hono'
import PQueue from 'p-queue'
import { SHORT_PAGE_ROWS } from '../../../../contract/limits.ts'
import type { Env } from '../../../platform/bindings.ts'
import { now, unixSeconds } from '../../../platform/clock.ts'
import { cutPage, pageCursor, parsePageKey } from '../../../platform/d1/page-key.ts'
import { AppError, invalidField, notFound } from '../../../platform/http/errors.ts'
import { setRateLimitHeaders } from '../../../platform/http/limit-requests.ts'
import { parseAs } from '../../../platform/http/read-request.ts'
import type { Caller } from '../../auth/find-caller.ts'
import { limitAction } from '../../auth/limit-action.ts'
import type { CallerEnv } from '../../auth/require-token.ts'
import { checkNewItem } from '../check-new-item.ts'
import { createItems } from '../create-items.ts'
import { refuseKeyForCar } from '../refuse-key-for-car.ts'
import { type Item, isUpload, type PublishedItem, selectOwnItem, selectUploads } from '../sql/items.ts'
import { listHeldChunks, statTail } from '../sql/upload-objects.ts'
import { ABANDONED_AFTER } from '../sweep.ts'
import { findOffset, readHeldBytes } from './held-bytes.ts'
import {
  kindOf,
  newItemOf,
  parseByteCount,
  parseMetadata,
  refuseExtensions,
  requireOffsetType,
  requireTusVersion,
} from './parse-upload.ts'
import { waitForWriter, writeUpload } from './write-upload.ts'

type UploadContext = Context<CallerEnv>

/** POST /v0/upload: begins an upload, with its first bytes where they are sent along (tus, Creation With Upload). */
export async function answerCreation(c: UploadContext): Promise<Response> {
  const header = (name: string) => c.req.header(name)
  requireTusVersion(header('Tus-Resumable'))
  refuseExtensions(header)
  const size = parseByteCount(header('Upload-Length'), 'Upload-Length')
  const config = c.get('config')
  const metadata = parseMetadata(header('Upload-Metadata'))
  const kind = kindOf(metadata)
  if (kind === 'car') requireImport(c.get('caller'))
  if (kind === 'car' && size === 0) throw invalidField('Upload-Length', 'must be at least 1: a CAR has a header.')
  const item = await parseAs(newItemOf(metadata, size), () => import('../../../../contract/item.ts'), 'NewItem')
  const request = { ...checkNewItem(item, config), ...(kind === 'car' && { kind }) }
  const length = declaredLength(c)
  const body = length === 0 ? null : c.req.raw.body
  if (body) requireOffsetType(header('Content-Type'))
  if (length !== undefined && length > size) {
    throw new AppError(413, 'upload_too_long', `The body has more bytes than the ${size} of Upload-Length.`)
  }
  const { userId } = c.get('caller')
  const [created] = await createItems({ ...config, db: c.env.DB }, userId, [request], now())
  const id = created?.id ?? ''
  const headers = { Location: `/v0/upload/${id}`, 'Upload-Expires': expiry(now()) }
  if (!body) return c.body(null, 201, headers)
  const { offset } = await write(c, { itemId: id, offset: 0, length, body })
  return c.body(null, 201, { ...headers, 'Upload-Offset': String(offset) })
}

/** HEAD /v0/upload/<id>: the offset at which it continues. */
export async function answerOffset(c: UploadContext, id: string): Promise<Response> {
  requireTusVersion(c.req.header('Tus-Resumable'))
  const item = await findUpload(c, id)
  const open = item.state === 'uploading'
  if (open) await waitForWriter(c.env.DB, id, now)
  const offset = open ? (await readHeldBytes(c.env.BUCKET, item)).offset : item.size
  return c.body(null, 200, {
    'Upload-Offset': String(offset),
    'Upload-Length': String(item.size),
    'Cache-Control': 'no-store',
    ...(open && { 'Upload-Expires': expiry(item.updatedAt) }),
  })
}

/** PATCH /v0/upload/<id>: appends bytes. */
export async function answerPart(c: UploadContext, id: string): Promise<Response> {
  requireTusVersion(c.req.header('Tus-Resumable'))
  refuseExtensions((name) => c.req.header(name))
  requireOffsetType(c.req.header('Content-Type'))
  const start = parseByteCount(c.req.header('Upload-Offset'), 'Upload-Offset')
  const part = { itemId: id, offset: start, length: declaredLength(c), body: c.req.raw.body }
  const { item, offset } = await write(c, part)
  return c.body(null, 204, { 'Upload-Offset': String(offset), 'Upload-Expires': expiry(item.updatedAt) })
}

/** Removes an unpaid item of a user, and the payment request that waits for it. */
export type DeleteItem = (
  env: Env,
  userId: string,
  id: string,
  now: number,
  waitUntil: (work: Promise<unknown>) => void,
) => Promise<void>

/** DELETE /v0/upload/<id>: abandons it, with what arrived (tus, Termination). */
export async function answerTermination(c: UploadContext, id: string, deleteItem: DeleteItem): Promise<Response> {
  requireTusVersion(c.req.header('Tus-Resumable'))
  await deleteItem(c.env, c.get('caller').userId, id, now(), (work) => c.executionCtx.waitUntil(work))
  return c.body(null, 204)
}

/** GET /v0/upload/<id>: the SHA-256 of each whole chunk, by which a client tells whether a file is the same. */
export async function answerHashes(c: UploadContext, id: string): Promise<Response> {
  const item = await findUpload(c, id)
  if (item.state !== 'uploading') {
    throw new AppError(409, 'already_merged', 'This item is merged, or being merged; its upload is closed.')
  }
  const { index, offset, chunks } = await readHeldBytes(c.env.BUCKET, item)
  const hashes = Array.from({ length: index }, (_, place) => chunks.get(place)?.sha256 ?? '')
  return c.json({ chunkSize: item.chunkSize, received: offset, hashes })
}

/** GET /v0/upload: the caller's unfinished uploads, from every device. */
export async function answerUploads(c: UploadContext): Promise<Response> {
  const { userId } = c.get('caller')
  setRateLimitHeaders(c, await limitAction(c.env.DB, 'uploads', userId, now()))
  return c.json(await uploadPage(c.env, userId, c.req.query('cursor')))
}

// Runs to its end when the client is gone: what arrived is stored.
function write(c: UploadContext, part: Omit<Parameters<typeof writeUpload>[1], 'userId' | 'byKey'>) {
  const { userId, key } = c.get('caller')
  const work = writeUpload(c.env, { userId, byKey: key !== undefined, ...part }, now)
  c.executionCtx.waitUntil(work.catch(() => {}))
  return work
}

/** @throws {AppError} 403 unless the caller may import CARs, as by `POST /v0/ipfs`, which accepts no API key. */
function requireImport(caller: Caller): void {
  refuseKeyForCar({ kind: 'car' }, caller.key !== undefined)
  if (!caller.permissions.includes('import')) {
    throw new AppError(403, 'permission_missing', 'Importing a CAR needs the permission "import".')
  }
}

async function findUpload(c: UploadContext, id: string): Promise<Item> {
  const item = await selectOwnItem(c.env.DB, c.get('caller').userId, id)
  if (!item || !isUpload(item)) throw notFound('You have no upload with this id.')
  return item
}

function declaredLength(c: UploadContext): number | undefined {
  const value = c.req.header('Content-Length')
  return value === undefined ? undefined : parseByteCount(value, 'Content-Length')
}

/** When an upload that nothing is added to is removed (RFC 9110, 5.6.7). */
function expiry(updatedAt: number): string {
  return new Date(updatedAt + ABANDONED_AFTER).toUTCString()
}

/** Uploads whose objects are listed at a time; a Worker has six connections. */
const LISTINGS = 3

/** A page of a user's unfinished uploads, newest first. @throws {AppError} 400 for a bad cursor. */
async function uploadPage({ DB, BUCKET }: Pick<Env, 'DB' | 'BUCKET'>, userId: string, cursor: string | undefined) {
  const found = await selectUploads(DB, { userId, after: parsePageKey(cursor), limit: SHORT_PAGE_ROWS + 1 })
  const page = cutPage(found, pageCursor, SHORT_PAGE_ROWS)
  const listings = new PQueue({ concurrency: LISTINGS })
  const uploads = await listings.addAll(
    page.shown.map((item) => async () => uploadJson(item, await countHeld(BUCKET, item))),
  )
  return { uploads, cursor: page.cursor }
}

/** An unfinished upload as the API answers it; sizes in bytes, times in Unix seconds. */
function uploadJson(item: PublishedItem, received: number) {
  const { id, name, path, mimetype, blockchain, folderId, size, createdAt, updatedAt } = item
  return {
    id,
    name,
    path,
    mimetype,
    blockchain,
    folder: folderId,
    size,
    received,
    createdAt: unixSeconds(createdAt),
    expiresAt: unixSeconds(updatedAt + ABANDONED_AFTER),
  }
}

async function countHeld(bucket: R2Bucket, item: Item): Promise<number> {
  const [chunks, tail] = await Promise.all([listHeldChunks(bucket, item.id), statTail(bucket, item.id)])
  return findOffset(item, chunks, tail).offset
}
