import type { FoundPath } from '../../../content/ipfs/formats/found-content.ts'
import type { StoredItem } from '../sql/stored-items.ts'

/** {@link RETYPED_CONTENT} on hosts of items. */
export const RETYPED = 'public, max-age=0, must-revalidate'

/**
 * `Cache-Control` of an item whose media type was corrected: it may be corrected again. One that never was is cached for
 * good, as its content is.
 */
export const RETYPED_CONTENT = `${RETYPED}, no-transform`

/** The entity tag of an item: the same bytes sent as another type are another representation (RFC 9110, 8.8.3). */
export function nameType({ typeChanges }: Pick<StoredItem, 'typeChanges'>, etag: string): string {
  return typeChanges === 0 ? etag : etag.replace(/"$/, `-t${typeChanges}"`)
}

/** The file of an item on IPFS as it is sent, with this `Cache-Control`, once its media type was corrected. */
export function asRetyped(item: StoredItem, found: FoundPath, caching = RETYPED_CONTENT): FoundPath {
  const { representation } = found
  if (item.typeChanges === 0 || representation instanceof Response) return found
  representation.headers.set('Cache-Control', caching)
  const { etag, otherEtags = [] } = representation
  const tags = { etag: nameType(item, etag), otherEtags: otherEtags.map((tag) => nameType(item, tag)) }
  return { ...found, representation: { ...representation, ...tags } }
}
