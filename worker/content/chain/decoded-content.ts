import { layOut } from '../../../protocol/literal-parts.ts'
import type { Env } from '../../platform/bindings.ts'
import { now } from '../../platform/clock.ts'
import { type TakeMemory, withPriority } from '../../platform/flow/memory-budget.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import { writeParts } from '../../platform/flow/write-parts.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { SizedBody } from '../../platform/http/respond.ts'
import { admitToCache } from '../cache/admit-to-cache.ts'
import { DECODED_AT_ONCE, decodeSteps, decodeStored } from './brotli.ts'
import { checkedBody } from './bucket-records.ts'
import { type ContentRecord, partsOf } from './content-record.ts'
import { countedBody } from './counted-body.ts'
import { hashParts, isHashListOf } from './part-hashes.ts'
import { partsBody } from './parts-body.ts'

/**
 * R2 prefix of decoded content, by the name of the list; it is stored for the first range request. Measured on a busy machine:
 * 16 ranges of 64 KB of 28 MiB of text need 0.9 to 1.4 s with the copy, and 18 to 27 s if each decodes up to its end.
 */
export const DECODED_PREFIX = 'chain/decoded/'

/** Content that decodes to so much (bytes) is decoded into memory for a range of it; what is more, into R2. */
const IN_MEMORY_BYTES = 12 << 20

/** Decoded content, so that a reader of ranges decodes it once. */
const cache = new MemoryCache<Uint8Array>(IN_MEMORY_BYTES)

/**
 * What reading decoded content needs: the most that it may decode to (bytes), and memory; `reopen` returns the record again,
 * whose body may have been read.
 */
export interface DecodingSource {
  env: Env
  maxDecodedBytes: number
  take: TakeMemory
  reopen: () => Promise<ContentRecord | undefined>
}

/** What content is decoded to, where it is in memory. */
export function decodedInMemory(list: string): Uint8Array | undefined {
  return cache.get(list)
}

/**
 * The decoded bytes of stored Brotli: in one piece if they are short, else step by step as they are read. A range (`partial`)
 * is read from a copy in memory or R2. If the cache in R2 accepts no copy in this hour, there are no `ranges`.
 * @throws {AppError} 422 if it is more than `maxDecodedBytes`, 503.
 */
export async function openDecoded(
  record: ContentRecord,
  list: string,
  partial: boolean,
  source: DecodingSource,
): Promise<{ body: Uint8Array | SizedBody; ranges: boolean }> {
  const known = cache.get(list)
  if (known) return { body: known, ranges: true }
  const { body, form } = record
  if (form.encoding !== 'br' || form.decodedBytes > source.maxDecodedBytes) {
    throw new AppError(422, 'content_too_large', 'The content decodes to more than this service serves.')
  }
  const size = form.decodedBytes
  if (size <= DECODED_AT_ONCE && body instanceof Uint8Array) {
    const decoded = decodeStored(body, size)
    if (decoded.encoding !== 'br') throw new Error(`The content of ${list} is not what was measured.`)
    cache.set(list, decoded.decoded, size)
    return { body: decoded.decoded, ranges: true }
  }
  const layout = typeof form.parts === 'number' ? layOut(size, form.parts) : undefined
  if (partial && layout && !(body instanceof Uint8Array))
    return { body: countedBody(partsBody(body, layout), source.take), ranges: true }
  if (!partial) return { body: decoding(record, size, source), ranges: true }
  if (size <= IN_MEMORY_BYTES) return { body: await decodeToMemory(record, list, size, source), ranges: true }
  const copy = (await findCopy(source.env.BUCKET, list, size)) ?? (await makeCopy(record, list, size, source))
  return copy
    ? { body: countedBody(copy, source.take), ranges: true }
    : { body: decoding(await reopened(source), size, source), ranges: false }
}

/** Decoded content that can be read once, whole. */
function decoding(record: ContentRecord, size: number, source: DecodingSource): SizedBody {
  return { kind: 'file', size, read: () => decodeSteps(partsOf(record), source.take) }
}

async function decodeToMemory(
  record: ContentRecord,
  list: string,
  size: number,
  { take }: DecodingSource,
): Promise<Uint8Array> {
  const share = await take('gather', size)
  try {
    const known = cache.get(list)
    if (known) return known
    const decoded = new Uint8Array(size)
    let at = 0
    for await (const bytes of decodeSteps(partsOf(record), withPriority(take))) {
      share.touch()
      decoded.set(bytes, at)
      at += bytes.length
    }
    cache.set(list, decoded, size)
    return decoded
  } finally {
    share.release()
  }
}

async function findCopy(bucket: R2Bucket, list: string, size: number): Promise<SizedBody | undefined> {
  const key = DECODED_PREFIX + list
  const object = await bucket.head(key)
  const sums = object?.customMetadata?.sums
  if (object?.size !== size || object.customMetadata?.list !== list || !isHashListOf(sums, size)) return undefined
  return checkedBody({ bucket, key, size, sums })
}

/** Decodes twice: what the sums are is known before anything is stored. */
async function makeCopy(
  record: ContentRecord,
  list: string,
  size: number,
  source: DecodingSource,
): Promise<SizedBody | undefined> {
  const { env, take } = source
  if (!(await admitToCache(env, 'chain', size, now()))) return undefined
  const { sha256, sums } = await hashParts(decodeSteps(partsOf(record), take))
  const again = await reopened(source)
  const { readable, writable } = new FixedLengthStream(size)
  await Promise.all([
    env.BUCKET.put(DECODED_PREFIX + list, readable, { sha256, customMetadata: { list, sums } }),
    writeParts(writable, decodeSteps(partsOf(again), take)),
  ])
  return await findCopy(env.BUCKET, list, size)
}

async function reopened({ reopen }: DecodingSource): Promise<ContentRecord> {
  const record = await reopen()
  if (!record) throw new AppError(503, 'storage_unavailable', 'The content cannot be read a second time. Try again.')
  return record
}
