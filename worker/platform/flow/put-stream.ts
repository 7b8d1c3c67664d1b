import { concatBytes } from '../../../protocol/bytes.ts'

/** R2 requires that all parts of an upload but the last have one size, of 5 MiB or more. */
const PART = 8 * 1024 * 1024

/**
 * Stores a stream of unknown length, with at most one part of 8 MiB in memory. The object is stored whole or not at
 * all. Returns its length; `undefined` where it has more than `most` bytes, and then nothing is stored.
 */
export async function putStream(
  bucket: R2Bucket,
  key: string,
  stream: AsyncIterable<Uint8Array>,
  most: number,
): Promise<number | undefined> {
  let upload: R2MultipartUpload | undefined
  const uploaded: R2UploadedPart[] = []
  let parts: Uint8Array[] = []
  let held = 0
  let length = 0
  try {
    for await (const bytes of stream) {
      length += bytes.length
      if (length > most) {
        await upload?.abort()
        return undefined
      }
      parts.push(bytes)
      held += bytes.length
      while (held >= PART) {
        const joined = concatBytes(parts)
        upload ??= await bucket.createMultipartUpload(key)
        uploaded.push(await upload.uploadPart(uploaded.length + 1, joined.subarray(0, PART)))
        parts = [joined.subarray(PART)]
        held -= PART
      }
    }
    const rest = concatBytes(parts)
    if (!upload) {
      await bucket.put(key, rest)
      return length
    }
    if (rest.length > 0) uploaded.push(await upload.uploadPart(uploaded.length + 1, rest))
    await upload.complete(uploaded)
    return length
  } catch (error) {
    await upload?.abort().catch((cause: unknown) => console.error('upload_not_aborted', key, cause))
    throw error
  }
}
