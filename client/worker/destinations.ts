/**
 * Where answers may be used (Fetch, `Request.destination`; '' is `fetch` and what counts as it). All others are refused, above
 * all those that would open content as a page or a worker of the author's origin.
 */
const ALLOWED: ReadonlySet<string> = new Set([
  '',
  'audio',
  'font',
  'image',
  'json',
  'script',
  'style',
  'track',
  'video',
])

/** What a request is for: more destinations come up than the types know. */
export interface Use {
  destination: string
  mode: string
}

/** Whether a request may be answered with content. */
export function isAllowed({ destination, mode }: Use): boolean {
  return mode !== 'navigate' && ALLOWED.has(destination)
}
