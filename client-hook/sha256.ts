import { HookError } from './hook-error.ts'

/** SHA-256 by the browser itself. @throws {HookError} on a page by plain http, where browsers have none. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  if (!crypto.subtle) throw new HookError('insecure_page', 'Content is verified only on pages that come by https.')
  // Copied where the bytes might be shared memory, which crypto.subtle refuses; the helper never has such.
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
}
