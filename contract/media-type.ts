// RFC 9110, 5.6.2 and 8.3.1, with the length of names from RFC 6838, 4.2.
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const QUOTED = '"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*"'
const NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}'
export const MEDIA_TYPE = /* @__PURE__ */ new RegExp(
  `^(${NAME}/${NAME})((?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))*)$`,
)
export const MEDIA_TYPE_LENGTH = 255

/** The media type of an item that is a directory (shared-mime-info). */
export const DIRECTORY = 'inode/directory'

/** Media types of what Brotli makes much shorter. */
export const COMPRESSIBLE = /^(text\/|image\/svg\+xml|application\/((.+\+)?(json|xml)|javascript|x-ndjson))/i

/**
 * Whether a media type without parameters is of text, whose bytes have a charset: markup, programs, data in words,
 * playlists.
 */
export function isTextType(essence: string): boolean {
  return /^text\/|[+/](?:xml|json|ya?ml)$|^application\/(?:(?:x-)?(?:java|ecma|type)script|(?:x-)?ndjson|json-seq|jsonl|toml|sql|graphql|xml-dtd|x-(?:sh|csh|tex|latex|tcl|subrip|httpd-php)|(?:x-|vnd\.apple\.)mpegurl)$/.test(
    essence,
  )
}

/** The media type of a CAR (IANA). */
export const CAR_TYPE = 'application/vnd.ipld.car'

/**
 * A valid media type for a header, type and subtype in lower case. `undefined` for anything else, and for types with which
 * browsers read other content than is there: several bodies in one, and encodings in which markup looks like text.
 */
export function parseMediaType(text: string): string | undefined {
  if (text.length > MEDIA_TYPE_LENGTH) return undefined
  const [, essence, parameters = ''] = MEDIA_TYPE.exec(text) ?? []
  if (essence === undefined || /^multipart\//i.test(essence) || hidesMarkup(parameters)) return undefined
  return essence.toLowerCase() + parameters
}

/** Whether `charset` is one in which ASCII bytes mean something else (WHATWG Encoding, 11.2), or occurs twice. */
function hidesMarkup(parameters: string): boolean {
  const charsets = [...parameters.matchAll(/;[ \t]*charset="?([^";]*)/gi)].map(([, name = '']) =>
    name.replaceAll('\\', '').trim().toLowerCase(),
  )
  return charsets.length > 1 || charsets.some((name) => /utf-?7|iso-?2022|hz-gb|imap/.test(name))
}

/** Type and subtype, without parameters. */
export function mediaTypeEssence(mimetype: string): string {
  return (mimetype.split(';')[0] ?? '').trim().toLowerCase()
}
