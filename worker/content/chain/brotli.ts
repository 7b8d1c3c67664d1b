import { brotliDecompressSync, createBrotliDecompress } from 'node:zlib'
import { concatBytes } from '../../../protocol/bytes.ts'
import { isEmptyFile } from '../../../protocol/empty-file.ts'
import { inSteps, lengthOf } from './join-parts.ts'

/** What stored bytes are: one whole Brotli stream, plain bytes, or Brotli of more than is served. */
export type StoredEncoding = 'br' | 'identity' | 'oversize'

/**
 * Decodes stored content to the end, within `maxBytes`. What is not one whole Brotli stream (RFC 7932), or has
 * bytes behind it, or decodes to nothing, is the bytes it is: short plain text can begin like Brotli. Only the one byte
 * that a file of 0 bytes is stored as ({@link isEmptyFile}) decodes to nothing.
 */
export function decodeStored(
  stored: Uint8Array,
  maxBytes: number,
): { encoding: 'br'; decoded: Uint8Array } | { encoding: 'identity' | 'oversize' } {
  if (isEmptyFile(stored)) return { encoding: 'br', decoded: new Uint8Array(0) }
  try {
    const { bytes, consumed } = decompress(stored, maxBytes)
    return consumed === stored.length && bytes.length > 0
      ? { encoding: 'br', decoded: bytes }
      : { encoding: 'identity' }
  } catch (error) {
    return { encoding: error instanceof RangeError ? 'oversize' : 'identity' }
  }
}

/** What has and decodes to no more than this is decoded in one call, which is faster (bytes). */
const AT_ONCE = 1 << 20

/** What {@link decodeStored} says of stored content in parts, without holding what it decodes to. */
export async function encodingOf(parts: readonly Uint8Array[], maxBytes: number): Promise<StoredEncoding> {
  const total = lengthOf(parts)
  if (total <= AT_ONCE) {
    const { encoding } = decodeStored(concatBytes(parts), Math.min(AT_ONCE, maxBytes))
    if (encoding !== 'oversize' || maxBytes <= AT_ONCE) return encoding
  }
  const decoder = createBrotliDecompress({ chunkSize: 256 << 10 })
  let decoded = 0
  const outcome = new Promise<StoredEncoding>((resolve) => {
    decoder.on('data', (bytes: Uint8Array) => {
      decoded += bytes.length
      if (decoded <= maxBytes) return
      // Here, for workerd calls back while it decodes: each call is within the one before, until the stack is full.
      decoder.destroy()
      resolve('oversize')
    })
    decoder.on('end', () => resolve(decoder.bytesWritten === total && decoded > 0 ? 'br' : 'identity'))
    decoder.on('error', () => resolve('identity'))
  })
  const ended = outcome.then(() => 'ended' as const)
  for (const step of inSteps(parts)) {
    if (decoder.destroyed) break
    if (decoder.write(step)) continue
    const drained = new Promise<void>((resolve) => decoder.once('drain', resolve))
    if ((await Promise.race([drained, ended])) === 'ended') break
  }
  if (!decoder.destroyed) decoder.end()
  const encoding = await outcome
  decoder.destroy()
  return encoding
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
