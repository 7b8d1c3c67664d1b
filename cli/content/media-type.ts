import { mediaTypeOf as typeOf } from '../../reader/media-type-of.ts'
import { usageError } from '../run/command-error.ts'

/** The media type for a file name; text types have charset UTF-8. */
export function mediaTypeOf(name: string): string {
  const type = typeOf(name)
  return /^text\/|^application\/(javascript|json|xml)$/.test(type) ? `${type}; charset=utf-8` : type
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
