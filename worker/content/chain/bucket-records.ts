import type { ByteRange } from '../../../contract/byte-range.ts'
import { concatBytes } from '../../../protocol/bytes.ts'
import type { TakeMemory } from '../../platform/flow/memory-budget.ts'
import { writeParts } from '../../platform/flow/write-parts.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { SizedBody } from '../../platform/http/respond.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import { formOf, type StoredForm } from './brotli.ts'
import { type ContentRecord, metadataOf, readForm, WHOLE_BYTES } from './content-record.ts'
import { inSteps, lengthOf } from './join-parts.ts'
import { hashParts, isHashListOf, readChecked } from './part-hashes.ts'

/** R2: the content of a list of txids, by the list's name. */
export const RECORD_PREFIX = 'chain/content/'
/** The lists of txids of blocks, by chain and hash. */
export const BLOCK_LISTS_PREFIX = 'chain/blocks/'

/**
 * The stored content of the list with this name. A record with another name, or with bytes that do not match its stored hash,
 * is deleted and not found.
 */
export async function getRecord(bucket: R2Bucket, list: string): Promise<ContentRecord | undefined> {
  const key = RECORD_PREFIX + list
  const object = await bucket.get(key)
  if (!object) return undefined
  const { customMetadata, size } = object
  const form = readForm(customMetadata ?? {})
  const stored = object.checksums.sha256
  if (customMetadata?.list !== list || !form || !stored) {
    await object.body.cancel()
    return await damaged(bucket, key)
  }
  if (size <= WHOLE_BYTES) {
    const bytes = new Uint8Array(await object.arrayBuffer())
    const actual = await crypto.subtle.digest('SHA-256', bytes)
    return crypto.subtle.timingSafeEqual(stored, actual) ? { body: bytes, form } : await damaged(bucket, key)
  }
  const { sums } = customMetadata
  if (isHashListOf(sums, size)) return { body: checkedBody({ bucket, key, size, sums }, object), form }
  await object.body.cancel()
  return await damaged(bucket, key)
}

/** Writes the content of an object, if it exists, as the record of a list. It may decode to at most `maxDecodedBytes`. */
export async function copyRecord(
  bucket: R2Bucket,
  { from, list, maxDecodedBytes, take }: { from: string; list: string; maxDecodedBytes: number; take: TakeMemory },
): Promise<void> {
  const toHash = await bucket.get(from)
  if (!toHash) return
  const { sha256, sums } = await hashParts(toHash.body)
  const toMeasure = await bucket.get(from)
  if (!toMeasure) return
  const form = await formOf(toMeasure.body, toMeasure.size, maxDecodedBytes, take)
  const toCopy = await bucket.get(from)
  if (!toCopy) return
  await bucket.put(RECORD_PREFIX + list, toCopy.body, { sha256, customMetadata: { list, sums, ...metadataOf(form) } })
}

/** Stores the content of a list; what its name names is immutable, so one that is there already is as good. */
export async function putRecord(
  bucket: R2Bucket,
  list: string,
  parts: readonly Uint8Array[],
  form: StoredForm,
): Promise<void> {
  const { sha256, sums } = await hashParts(parts)
  const length = lengthOf(parts)
  const options = {
    sha256,
    customMetadata: { list, ...(length > WHOLE_BYTES ? { sums } : {}), ...metadataOf(form) },
    onlyIf: { etagDoesNotMatch: '*' },
  }
  if (length <= WHOLE_BYTES) {
    await bucket.put(RECORD_PREFIX + list, concatBytes(parts), options)
    return
  }
  const { readable, writable } = new FixedLengthStream(length)
  await Promise.all([bucket.put(RECORD_PREFIX + list, readable, options), writeParts(writable, inSteps(parts))])
}

/** A body that is read from R2 as it is requested, each MiB checked; one that was `opened` already is read first. */
export function checkedBody(
  { bucket, key, size, sums }: { bucket: R2Bucket; key: string; size: number; sums: string },
  opened?: R2ObjectBody,
): SizedBody {
  const read = async ({ start, end }: ByteRange) => {
    if (start === 0 && end === size - 1 && opened?.bodyUsed === false) return opened.body
    if (opened?.bodyUsed === false) await opened.body.cancel()
    return (await bucket.get(key, { range: { offset: start, length: end - start + 1 } }))?.body
  }
  return {
    kind: 'file',
    size,
    read: (range) => readChecked({ size, sums }, range, read, () => corruptCopyError(bucket, key)),
  }
}

/** The 503 for the reader of an object whose bytes do not match its hashes. The object is deleted, so that it is made again. */
async function corruptCopyError(bucket: R2Bucket, key: string): Promise<AppError> {
  await damaged(bucket, key)
  const message = 'The stored copy is damaged and will be made again from the chain. Try again.'
  return new AppError(503, 'storage_unavailable', message, { headers: { 'Retry-After': '1' } })
}

async function damaged(bucket: R2Bucket, key: string): Promise<undefined> {
  logOnceAMinute('error', 'record_damaged', key)
  await bucket.delete(key)
  return undefined
}
