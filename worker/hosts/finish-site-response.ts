/** Asked for by certificate authorities and by Cloudflare, of whoever runs the host; never a site's to answer. */
const RESERVED = /^\/\.well-known\/(?:acme-challenge|pki-validation|cf-custom-hostname-challenge)(?:\/|$)/

/** Whether a path of a site's host is not the site's: the API's own, and proofs of who runs the host. */
export function isReservedPath(pathname: string): boolean {
  return /^\/v0(?:\/|$)/.test(pathname) || RESERVED.test(pathname)
}

/** Adds what every answer of a site's own host carries; the one place that does. */
export function finishSiteResponse(response: Response, url: URL): Response {
  const { headers } = response
  headers.set('X-Content-Type-Options', 'nosniff')
  // The bytes are public and the host knows no credentials: any page may embed or read them.
  headers.set('Access-Control-Allow-Origin', '*')
  headers.set('Cross-Origin-Resource-Policy', 'cross-origin')
  headers.set('Origin-Agent-Cluster', '?1')
  headers.delete('Set-Cookie')
  if (!headers.has('Referrer-Policy')) headers.set('Referrer-Policy', 'strict-origin-when-cross-origin')
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
  // The neighbours of somebody's own domain are not ours to speak for: no includeSubDomains.
  if (url.protocol === 'https:') headers.set('Strict-Transport-Security', 'max-age=31536000')
  return response
}
