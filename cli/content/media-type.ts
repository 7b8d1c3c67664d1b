import { open } from 'node:fs/promises'
import { isTextType, mediaTypeEssence } from '../../contract/media-type.ts'
import { CHARSET_BYTES, readCharsets, withCharset } from '../../reader/charset.ts'
import { usageError } from '../run/command-error.ts'

/**
 * A media type with the charset that a file on this machine declares; unchanged for a file that cannot be read, which is
 * reported elsewhere.
 */
export async function withCharsetOf(mediaType: string, { source, size }: { source: string; size: number }) {
  if (!isTextType(mediaTypeEssence(mediaType))) return mediaType
  try {
    const file = await open(source)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, CHARSET_BYTES)), 0)
      return withCharset(mediaType, readCharsets(buffer.subarray(0, bytesRead), bytesRead === size))
    } finally {
      await file.close()
    }
  } catch {
    return mediaType
  }
}

/**
 * A media type on the command line (RFC 9110, 8.3.1).
 * @throws {CommandError} 2
 */
export function checkMediaType(text: string): string {
  if (
    text.length <= 255 &&
    /^[A-Za-z0-9][\w!#$&^.+-]{0,126}\/[A-Za-z0-9][\w!#$&^.+-]{0,126}([ \t]*;[ \t]*[\w!#$%&'*+.^`|~-]+=("[\t !#-[\]-~]*"|[\w!#$%&'*+.^`|~-]+))*$/.test(
      text,
    )
  ) {
    return text
  }
  throw usageError(`${JSON.stringify(text)} is not a media type. A media type looks like image/png.`)
}
