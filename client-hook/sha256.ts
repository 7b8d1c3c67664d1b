import type { InsecurePart } from './insecure/part.ts'

export type Sha256 = (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>

/** SHA-256 by the browser, or by a lazy part on pages over plain http, which have no crypto.subtle. */
export function createSha256(load: () => Promise<InsecurePart>): Sha256 {
  return async (bytes) => {
    if (!crypto.subtle) return (await load()).sha256(bytes)
    // Copied for the type only: crypto.subtle rejects shared memory, which never occurs here.
    return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
  }
}
