import { isStorageTarget, STORAGE_TARGETS, type StorageTarget } from '../../../protocol/chains.ts'
import { isObjectId } from '../../../protocol/object-id.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import { parseMediaType } from './media-type.ts'
import { parseName } from './parse-name.ts'

/** What a caller says of a new item; `size` in bytes. */
export interface NewItemRequest {
  name: string
  mimetype: string
  blockchain: StorageTarget
  size: number
  folder: string | undefined
  /** A CAR, whose blocks are taken in as they are, in place of a file. */
  kind?: 'car'
  /** What stands before the name of a field in a refusal: nothing, or which of a list it is. */
  at: string
}

type ItemLimits = Pick<Config, 'maxItemBytes' | 'maxDecodedBytes' | 'quotas'>

/** Items of one request. */
export const MAX_LISTED_ITEMS = 100

/** Checks a list of new items. @throws {AppError} 400, 413, 422: as {@link parseNewItem}, naming which it is. */
export function parseNewItems(list: unknown, limits: ItemLimits): NewItemRequest[] {
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_LISTED_ITEMS) {
    throw invalidField('items', `must be a list of 1 to ${MAX_LISTED_ITEMS} items.`)
  }
  return list.map((entry: unknown, index) => {
    const at = `items[${index}].`
    if (typeof entry !== 'object' || entry === null) throw invalidField(`items[${index}]`, 'must be an object.')
    return parseNewItem({ ...entry }, limits, at)
  })
}

/**
 * Checks what a caller says of a new item; `at` stands before the names of fields.
 * @throws {AppError} 400 naming the field, 413 for what no item may have, 422 for content that no chain here could give back.
 */
export function parseNewItem(body: Record<string, unknown>, limits: ItemLimits, at = ''): NewItemRequest {
  const name = parseName(body.name, `${at}name`)
  const mimetype = typeof body.mimetype === 'string' ? parseMediaType(body.mimetype) : undefined
  if (mimetype === undefined)
    throw invalidField(
      `${at}mimetype`,
      'must be a media type such as text/html or image/png; multipart types and charset=utf-7 are not taken.',
    )
  const blockchain = parseStorageTarget(body.blockchain, `${at}blockchain`)
  const size = parseSize(body.size, Math.min(limits.maxItemBytes, limits.quotas.unpaidBytes), `${at}size`)
  if (blockchain !== 'IPFS' && size > limits.maxDecodedBytes) {
    const most = limits.maxDecodedBytes
    const which = at === '' ? '' : `${at}size: `
    const message = `${which}Content on a chain may have at most ${most} bytes, this has ${size}. IPFS would take it.`
    throw new AppError(422, 'content_too_large', message)
  }
  return { name, mimetype, blockchain, size, folder: parseFolderId(body.folder, `${at}folder`), at }
}

/** @throws {AppError} 400 unless it is a chain or `IPFS`, capitals included. */
export function parseStorageTarget(value: unknown, field = 'blockchain'): StorageTarget {
  if (isStorageTarget(value)) return value
  throw invalidField(field, `must be one of ${STORAGE_TARGETS.join(', ')}, written exactly so.`)
}

/** An optional folder's id; null is as good as absent. @throws {AppError} 400 naming `field`. */
export function parseFolderId(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (isObjectId(value)) return value
  throw invalidField(field, 'must be the id of a folder, 24 lowercase hex digits.')
}

function parseSize(value: unknown, most: number, field: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw invalidField(field, `must be a whole number of bytes from 0 to ${most}.`)
  }
  if (value <= most) return value
  throw new AppError(413, 'item_too_large', `An item may have at most ${most} bytes here, this has ${value}.`)
}
