import PQueue from 'p-queue'
import { SHORT_PAGE_ROWS } from '../../../../contract/limits.ts'
import type { Env } from '../../../platform/bindings.ts'
import { unixSeconds } from '../../../platform/clock.ts'
import { parseCursor } from '../page-cursor.ts'
import { type Item, type PublishedItem, selectUploads } from '../sql/items.ts'
import { listHeldChunks, statTail } from '../sql/upload-objects.ts'
import { ABANDONED_AFTER } from '../sweep.ts'
import { findOffset } from './held-bytes.ts'

/** Uploads whose objects are listed at a time; a Worker has six connections. */
const LISTINGS = 3

/** A page of a user's unfinished uploads, newest first. @throws {AppError} 400 for a bad cursor. */
export async function uploadPage(
  { DB, BUCKET }: Pick<Env, 'DB' | 'BUCKET'>,
  userId: string,
  cursor: string | undefined,
) {
  const after = cursor === undefined ? undefined : parseCursor(cursor)
  const found = await selectUploads(DB, { userId, after, limit: SHORT_PAGE_ROWS + 1 })
  const items = found.slice(0, SHORT_PAGE_ROWS)
  const listings = new PQueue({ concurrency: LISTINGS })
  const uploads = await listings.addAll(
    items.map((item) => async () => uploadJson(item, await countHeld(BUCKET, item))),
  )
  const last = items.at(-1)
  return { uploads, ...(found.length > SHORT_PAGE_ROWS && last ? { cursor: `${last.createdAt}-${last.id}` } : {}) }
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
