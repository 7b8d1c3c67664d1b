/** Whether `If-None-Match` names this entity tag (RFC 9110, 13.1.2: weak comparison, lists, `*`). */
export function matchesEtag(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  // An opaque tag may hold commas, so the list is read tag by tag and not split.
  for (const [, tag] of ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)) if (tag === opaque) return true
  return false
}

/**
 * Whether a `Range` still holds under `If-Range` (RFC 9110, 13.1.5): only the same strong tag does. Dates
 * never match, since nothing here has a modification date.
 */
export function rangeStillHolds(ifRange: string | null | undefined, etag: string): boolean {
  return !ifRange || (ifRange.trim() === etag && !etag.startsWith('W/'))
}
