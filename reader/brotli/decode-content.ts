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
 * The content of stored bytes, by the same rule as the API: decoded if they are one complete Brotli stream that decodes to at
 * least one byte, else the bytes themselves; the one byte of a stored empty file is decoded to no bytes.
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
