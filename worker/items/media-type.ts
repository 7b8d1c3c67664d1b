// RFC 9110, 5.6.2 and 8.3.1, with the names as short as RFC 6838, 4.2 wants them.
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const QUOTED = '"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*"'
const NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}'
export const MEDIA_TYPE = new RegExp(`^(${NAME}/${NAME})((?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))*)$`)
const MAX_CHARACTERS = 255

/** The media type of an item that is a directory (shared-mime-info). */
export const DIRECTORY = 'inode/directory'

/** A media type as it may stand in a header, type and subtype in lower case; `undefined` for anything else. */
export function parseMediaType(text: string): string | undefined {
  if (text.length > MAX_CHARACTERS) return undefined
  const [, essence, parameters] = MEDIA_TYPE.exec(text) ?? []
  return essence === undefined ? undefined : essence.toLowerCase() + (parameters ?? '')
}

/** Type and subtype, without parameters. */
export function mediaTypeEssence(mimetype: string): string {
  return (mimetype.split(';')[0] ?? '').trim().toLowerCase()
}
