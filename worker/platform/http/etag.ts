/** Whether `If-None-Match` matches this entity tag (RFC 9110, 13.1.2: weak comparison, lists, `*`). */
export function matchesEtag(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  // A tag may contain commas, so the list is matched tag by tag and not split.
  for (const [, tag] of ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)) if (tag === opaque) return true
  return false
}

/**
 * Whether `If-Range` lets a `Range` apply (RFC 9110, 13.1.5): only with the same strong tag. A date never matches,
 * because nothing here has a modification date.
 */
export function rangeStillHolds(ifRange: string | null | undefined, etag: string): boolean {
  return !ifRange || (ifRange.trim() === etag && !etag.startsWith('W/'))
}
