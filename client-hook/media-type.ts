/** Kinds of media types that elements handle differently. */
export type MediaKind = 'image' | 'video' | 'audio' | 'html' | 'text' | 'other'

/** A media type without parameters, and its kind. */
export interface SortedType {
  essence: string
  kind: MediaKind
}

/** Type and subtype of a media type, lower-cased, without parameters; `undefined` for another text (RFC 9110, 8.3.1). */
export function essenceOf(mediaType: string): string | undefined {
  return /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;|$)/.exec(mediaType)?.[1]?.toLowerCase()
}

/** The kind of a media type. Pure. */
export function mediaKind(essence: string): MediaKind {
  const [, top, subtype = ''] = /^([^/]+)\/(.+)$/.exec(essence) ?? []
  if (top === 'image' || top === 'video' || top === 'audio') return top
  if (essence === 'text/html' || essence === 'application/xhtml+xml') return 'html'
  if (top === 'text' || /^(json|xml|javascript|ecmascript|.*\+(json|xml))$/.test(subtype)) return 'text'
  return 'other'
}
