/** A file of this build: its path on the API host, and its hash (Subresource Integrity, 3.1). */
export interface Part {
  path: string
  integrity: string
}

/** The part with this `name` and SHA-256 in base64. The path contains 96 bits of the hash, with `+` and `/` as `-`. */
export function partOf(name: string, ending: string, sha256: string): Part {
  return {
    path: `/hook/${name}.${sha256.slice(0, 16).replace(/\W/g, '-')}.${ending}`,
    integrity: `sha256-${sha256}`,
  }
}
