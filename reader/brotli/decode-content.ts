import { isEmptyFile } from '../../protocol/empty-file.ts'
import { ReaderError } from '../reader-error.ts'

/**
 * Decodes Brotli: the whole of what it decodes to; `undefined` where the bytes are not one whole Brotli stream;
 * `too large` as soon as it is more than `maxBytes`: 51 bytes can decode to 50 MiB.
 */
export type DecodeBrotli = (
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes: number,
) => Promise<Uint8Array<ArrayBuffer> | 'too large' | undefined>

/** Most bytes that content may decode to: what the API allows by default. */
export const MAX_DECODED_BYTES = 32 << 20

/**
 * Content as its author meant it: decoded, or the bytes themselves where they are no whole Brotli stream that decodes
 * to something, which is the API's own rule; the one byte that stands for a file of 0 bytes is no byte.
 * @throws {ReaderError} `too_large`
 */
export async function decodeContent(
  stored: Uint8Array<ArrayBuffer>,
  decode: DecodeBrotli,
  maxBytes = MAX_DECODED_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  if (isEmptyFile(stored)) return new Uint8Array(0)
  const decoded = stored.length === 0 ? undefined : await decode(stored, maxBytes)
  if (decoded === 'too large') throw new ReaderError('too_large', `The content decodes to more than ${maxBytes} bytes.`)
  return decoded && decoded.length > 0 ? decoded : stored
}
