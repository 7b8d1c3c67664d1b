/** A file of this build: the path under the API host, and the hash as browsers take it (Subresource Integrity, 3.1). */
export interface Part {
  path: string
  integrity: string
}

/** The file of this `name` and SHA-256, in base64: 96 bits of it are in the path, `+` and `/` as `-`. */
export function partOf(name: string, ending: string, sha256: string): Part {
  return {
    path: `/hook/${name}.${sha256.slice(0, 16).replace(/\W/g, '-')}.${ending}`,
    integrity: `sha256-${sha256}`,
  }
}
