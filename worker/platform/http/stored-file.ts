import { type BuiltFile, builtFile } from './built-file.ts'

/** Stores a built file in R2, for requests after a deployment of other files. */
export async function storeFile(bucket: R2Bucket, key: string, { type, etag, compressed }: BuiltFile): Promise<void> {
  await bucket.put(key, compressed, { httpMetadata: { contentType: type }, customMetadata: { etag } })
}

/** The stored file of an earlier build, to be served at `path`. */
export async function readStoredFile(bucket: R2Bucket, key: string, path: string): Promise<BuiltFile | undefined> {
  const object = await bucket.get(key)
  if (!object) return undefined
  const type = object.httpMetadata?.contentType ?? 'application/octet-stream'
  const etag = object.customMetadata?.etag ?? object.httpEtag
  return builtFile({ path, type, etag }, new Uint8Array(await object.arrayBuffer()))
}
