import type { InsecurePart } from './insecure/part.ts'

export type Sha256 = (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>

/** SHA-256 by the browser itself; by a part of ours on pages by plain http, where browsers keep theirs back. */
export function createSha256(load: () => Promise<InsecurePart>): Sha256 {
  return async (bytes) => {
    if (!crypto.subtle) return (await load()).sha256(bytes)
    // Copied for the type's sake only: crypto.subtle refuses shared memory, which nothing here is.
    return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
  }
}
