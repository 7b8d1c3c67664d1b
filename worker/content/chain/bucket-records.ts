import { type ContentRecord, readEncoding } from './content-record.ts'

/** R2: the content of a list of txids, by the list's name. */
export const RECORD_PREFIX = 'chain/content/'

/**
 * The content of the list with this name; what does not say that it is that, or no longer matches the hash that it was
 * stored with, is thrown away and not found.
 */
export async function getRecord(bucket: R2Bucket, list: string): Promise<ContentRecord | undefined> {
  const key = RECORD_PREFIX + list
  const object = await bucket.get(key)
  if (!object) return undefined
  const bytes = new Uint8Array(await object.arrayBuffer())
  const encoding = readEncoding(object.customMetadata?.encoding)
  const stored = object.checksums.sha256
  const actual = await crypto.subtle.digest('SHA-256', bytes)
  const isOurs = object.customMetadata?.list === list
  if (isOurs && encoding && stored && crypto.subtle.timingSafeEqual(stored, actual)) return { bytes, encoding }
  console.error('record_damaged', key)
  await bucket.delete(key)
  return undefined
}

/** Keeps the content of a list; what its name names is immutable, so one that is there already is as good. */
export async function putRecord(bucket: R2Bucket, list: string, record: ContentRecord): Promise<void> {
  await bucket.put(RECORD_PREFIX + list, record.bytes, {
    sha256: await crypto.subtle.digest('SHA-256', record.bytes),
    customMetadata: { encoding: record.encoding, list },
    onlyIf: { etagDoesNotMatch: '*' },
  })
}
