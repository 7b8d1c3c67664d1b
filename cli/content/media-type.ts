import { mediaTypeOf as typeOf } from '../../reader/media-type-of.ts'
import { usageError } from '../run/command-error.ts'

/** Media type of a file by the ending of its name; text is said to be UTF-8. */
export function mediaTypeOf(name: string): string {
  const type = typeOf(name)
  return /^text\/|^application\/(javascript|json|xml)$/.test(type) ? `${type}; charset=utf-8` : type
}

/** A media type of the command line (RFC 9110, 8.3.1). @throws {CommandError} 2 */
export function checkMediaType(text: string): string {
  if (
    text.length <= 255 &&
    /^[A-Za-z0-9][\w!#$&^.+-]{0,126}\/[A-Za-z0-9][\w!#$&^.+-]{0,126}([ \t]*;[ \t]*[\w!#$%&'*+.^`|~-]+=("[\t !#-[\]-~]*"|[\w!#$%&'*+.^`|~-]+))*$/.test(
      text,
    )
  ) {
    return text
  }
  throw usageError(`${JSON.stringify(text)} is no media type; it looks like image/png.`)
}
