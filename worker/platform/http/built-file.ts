import { brotliDecompressSync } from 'node:zlib'

/** A file that the build made; `compressed` is Brotli. */
export interface BuiltFile {
  path: string
  type: string
  etag: string
  compressed: Uint8Array<ArrayBuffer>
  /** Decoded when first asked for, then kept: few clients take no Brotli. */
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

/** The entity tag of a file, of its Subresource Integrity text (`sha384-…`). */
export function etagOf(integrity: string): string {
  return `"${integrity.slice('sha384-'.length).slice(0, 24)}"`
}
