import { type ContentRecord, type RecordKind, readEncoding } from './content-record.ts'

/**
 * The record at R2 key `<kind>/<chain>/<name>`; bytes that no longer match the hash they were stored with are
 * thrown away and not found.
 */
export async function getRecord(bucket: R2Bucket, kind: RecordKind, key: string): Promise<ContentRecord | undefined> {
  const object = await bucket.get(`${kind}/${key}`)
  if (!object) return undefined
  const bytes = new Uint8Array(await object.arrayBuffer())
  const encoding = readEncoding(object.customMetadata?.encoding)
  const stored = object.checksums.sha256
  const actual = await crypto.subtle.digest('SHA-256', bytes)
  if (!encoding || !stored || !crypto.subtle.timingSafeEqual(stored, actual)) {
    console.error('stored_content_damaged', `${kind}/${key} does not match its hash and is removed`)
    await bucket.delete(`${kind}/${key}`)
    return undefined
  }
  return { bytes, encoding }
}

/** Keeps a record; what it is named by is immutable, so one that is there already is as good. */
export async function putRecord(bucket: R2Bucket, kind: RecordKind, key: string, record: ContentRecord): Promise<void> {
  await bucket.put(`${kind}/${key}`, record.bytes, {
    sha256: await crypto.subtle.digest('SHA-256', record.bytes),
    customMetadata: { encoding: record.encoding },
    onlyIf: { etagDoesNotMatch: '*' },
  })
}
