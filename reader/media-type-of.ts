import { lookup } from 'mrmime'

/** What `mrmime` has no type for. */
const OTHERS = new Map([
  ['avi', 'video/x-msvideo'],
  ['eot', 'application/vnd.ms-fontobject'],
  ['ico', 'image/x-icon'],
])

/** The media type that the ending of a file's name says, without parameters; `undefined` where it says none. */
export function knownMediaType(path: string): string | undefined {
  // `lookup` answers an ending such as `constructor` with what every object has.
  const type: unknown = lookup(path)
  return typeof type === 'string' ? type : OTHERS.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase())
}

/** The media type of a file in a directory, by its name. */
export function mediaTypeOf(path: string): string {
  return knownMediaType(path) ?? 'application/octet-stream'
}
