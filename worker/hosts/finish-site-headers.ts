import { EXPOSED } from '../platform/http/cors.ts'
import { NO_STORE } from '../platform/http/policies.ts'

/** Adds what every answer of a site's own host carries, whose URL is `url`; the one place that does. */
export function finishSiteHeaders(headers: Headers, url: string): void {
  headers.set('X-Content-Type-Options', 'nosniff')
  // The bytes are public and the host knows no credentials: any page may embed or read them.
  headers.set('Access-Control-Allow-Origin', '*')
  headers.set('Access-Control-Expose-Headers', EXPOSED)
  headers.set('Cross-Origin-Resource-Policy', 'cross-origin')
  headers.set('Origin-Agent-Cluster', '?1')
  headers.delete('Set-Cookie')
  if (!headers.has('Referrer-Policy')) headers.set('Referrer-Policy', 'strict-origin-when-cross-origin')
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', NO_STORE)
  // No includeSubDomains: other hosts of a customer's domain are not served here.
  if (url.startsWith('https:')) headers.set('Strict-Transport-Security', 'max-age=31536000')
}
