import { brotliDecompressSync } from 'node:zlib'

/** A file that the build made; `compressed` is Brotli. */
export interface BuiltFile {
  path: string
  type: string
  etag: string
  compressed: Uint8Array<ArrayBuffer>
  /** The decoded file. It is decoded at the first call, because few clients do not accept Brotli. */
  raw(): Uint8Array<ArrayBuffer>
}

/** A file from its Brotli-compressed bytes. */
export function builtFile(
  names: Pick<BuiltFile, 'path' | 'type' | 'etag'>,
  compressed: Uint8Array<ArrayBuffer>,
): BuiltFile {
  let raw: Uint8Array<ArrayBuffer> | undefined
  return {
    ...names,
    compressed,
    raw() {
      raw ??= new Uint8Array(brotliDecompressSync(compressed))
      return raw
    },
  }
}

/** The entity tag of a file, from its Subresource Integrity value (`sha384-…`). */
export function etagOf(integrity: string): string {
  return `"${integrity.slice('sha384-'.length).slice(0, 24)}"`
}
