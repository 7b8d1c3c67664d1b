import { isStorageTarget, STORAGE_TARGETS, type StorageTarget } from '../../protocol/chains.ts'
import { isObjectId } from '../../protocol/object-id.ts'
import type { Config } from '../config/config.ts'
import { AppError, invalidField } from '../http/errors.ts'
import { parseMediaType } from './media-type.ts'
import { parseName } from './parse-name.ts'

/** What a caller says of a new item; `size` in bytes. */
export interface NewItemRequest {
  name: string
  mimetype: string
  blockchain: StorageTarget
  size: number
  folder: string | undefined
}

/**
 * Checks the body of `POST /v0/item`.
 * @throws {AppError} 400 naming the field, 413 for what no item may have, 422 for content that no chain here could give back.
 */
export function parseNewItem(
  body: Record<string, unknown>,
  limits: Pick<Config, 'maxItemBytes' | 'maxDecodedBytes' | 'quotas'>,
): NewItemRequest {
  const name = parseName(body.name)
  const mimetype = typeof body.mimetype === 'string' ? parseMediaType(body.mimetype) : undefined
  if (mimetype === undefined)
    throw invalidField(
      'mimetype',
      'must be a media type such as text/html or image/png; multipart types and charset=utf-7 are not taken.',
    )
  const blockchain = parseStorageTarget(body.blockchain)
  const size = parseSize(body.size, Math.min(limits.maxItemBytes, limits.quotas.unpaidBytes))
  if (blockchain !== 'IPFS' && size > limits.maxDecodedBytes) {
    const most = limits.maxDecodedBytes
    const message = `Content on a chain may have at most ${most} bytes, this has ${size}. IPFS would take it.`
    throw new AppError(422, 'content_too_large', message)
  }
  return { name, mimetype, blockchain, size, folder: parseFolderId(body.folder, 'folder') }
}

/** @throws {AppError} 400 unless it is a chain or `IPFS`, capitals included. */
export function parseStorageTarget(value: unknown): StorageTarget {
  if (isStorageTarget(value)) return value
  throw invalidField('blockchain', `must be one of ${STORAGE_TARGETS.join(', ')}, written exactly so.`)
}

/** An optional folder's id; null is as good as absent. @throws {AppError} 400 naming `field`. */
export function parseFolderId(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (isObjectId(value)) return value
  throw invalidField(field, 'must be the id of a folder, 24 lowercase hex digits.')
}

function parseSize(value: unknown, most: number): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw invalidField('size', `must be a whole number of bytes from 1 to ${most}.`)
  }
  if (value <= most) return value
  throw new AppError(413, 'item_too_large', `An item may have at most ${most} bytes here, this has ${value}.`)
}
