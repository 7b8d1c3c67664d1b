import type { Config } from '../../platform/config/config.ts'
import { AppError } from '../../platform/http/errors.ts'
import { consoleOrigins } from './console-origins.ts'

/**
 * Lets through only what a page of this origin sends. Browsers say so by `Sec-Fetch-Site` (Fetch Metadata Request
 * Headers); one without that header by `Origin` (RFC 6454, 7). No page can set either. @throws {AppError} 403.
 */
export function requireOwnPage(request: Request, config: Pick<Config, 'baseUrl' | 'storageHost'>): void {
  const site = request.headers.get('Sec-Fetch-Site')
  const own =
    site === null
      ? request.headers.get('Origin') === consoleOrigins(request.url, config).apiOrigin
      : site === 'same-origin'
  if (!own) throw new AppError(403, 'wrong_origin', 'Only the console of this service may send this request.')
}
