import { AppError } from '../../../platform/http/errors.ts'

/** The part of a URL's path below the content root. */
export interface SubPath {
  /** Decoded, without empty ones and dot segments. */
  segments: readonly string[]
  /** The path ended with a slash, as a directory's does. */
  slash: boolean
}

/**
 * Reads a URL path below a root: percent-decoded once as a whole, so that `%2F` separates, then dot segments
 * resolved (IPIP-548). The root cannot be left.
 * @throws {AppError} 400.
 */
export function parseSubPath(pathname: string): SubPath {
  const segments: string[] = []
  for (const segment of decodePath(pathname).split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) throw new AppError(400, 'invalid_path', 'The path leaves its root.')
  }
  return { segments, slash: pathname.endsWith('/') }
}

function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname)
  } catch (cause) {
    throw new AppError(400, 'invalid_path', 'The path is not percent-encoded UTF-8.', { cause })
  }
}

/** One segment for the path of a URL: only what would end or split the segment is encoded (RFC 3986, 3.3). */
export function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, (triple) => decodeURIComponent(triple))
}

/** A path of segments, with a leading slash each; the empty string for none. */
export function formatSubPath({ segments, slash }: SubPath): string {
  return segments.map((segment) => `/${encodeSegment(segment)}`).join('') + (slash ? '/' : '')
}

/** The value of `Ipfs-Uri`: every byte outside RFC 3986 "unreserved" is encoded (IPIP-548). */
export function formatIpfsUri(namespace: 'ipfs' | 'ipns', authority: string, { segments, slash }: SubPath): string {
  const strict = (segment: string) =>
    encodeURIComponent(segment).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${namespace}://${authority}${segments.map((segment) => `/${strict(segment)}`).join('')}${slash ? '/' : ''}`
}
