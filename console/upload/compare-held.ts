import { api, call } from '../api/client.ts'

/**
 * Whether the parts that the service holds of an upload are the beginning of `file`: each whole chunk by its SHA-256.
 * @throws {ApiError}
 */
export async function compareHeld(id: string, file: Blob): Promise<boolean> {
  const { chunkSize, hashes } = await call(api.GET('/v0/upload/{id}', { params: { path: { id } } }))
  for (const [index, wanted] of hashes.entries()) {
    const bytes = await file.slice(index * chunkSize, (index + 1) * chunkSize).arrayBuffer()
    if (hexOf(await crypto.subtle.digest('SHA-256', bytes)) !== wanted.toLowerCase()) return false
  }
  return true
}

function hexOf(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
