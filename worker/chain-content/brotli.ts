import { brotliDecompressSync } from 'node:zlib'

/** What stored bytes are: one whole Brotli stream, plain bytes, or Brotli of more than is served. */
export type StoredEncoding = 'br' | 'identity' | 'oversize'

/**
 * Decodes stored content to the end, within `maxBytes`. What is not one whole Brotli stream (RFC 7932), or has
 * bytes behind it, or decodes to nothing, is the bytes it is: short plain text can begin like Brotli.
 */
export function decodeStored(
  stored: Uint8Array,
  maxBytes: number,
): { encoding: 'br'; decoded: Uint8Array } | { encoding: 'identity' | 'oversize' } {
  try {
    const { bytes, consumed } = decompress(stored, maxBytes)
    return consumed === stored.length && bytes.length > 0
      ? { encoding: 'br', decoded: bytes }
      : { encoding: 'identity' }
  } catch (error) {
    return { encoding: error instanceof RangeError ? 'oversize' : 'identity' }
  }
}

function decompress(stored: Uint8Array, maxBytes: number): { bytes: Uint8Array; consumed: number } {
  const options = { maxOutputLength: maxBytes, info: true }
  const outcome: unknown = brotliDecompressSync(stored, options)
  // `info` adds the engine, which alone tells how much of the input the stream took.
  if (typeof outcome !== 'object' || outcome === null || !('buffer' in outcome) || !('engine' in outcome)) {
    throw new TypeError('zlib gave no info')
  }
  const { buffer, engine } = outcome
  if (!(buffer instanceof Uint8Array) || typeof engine !== 'object' || engine === null || !('bytesWritten' in engine)) {
    throw new TypeError('zlib gave no info')
  }
  return { bytes: buffer, consumed: Number(engine.bytesWritten) }
}
