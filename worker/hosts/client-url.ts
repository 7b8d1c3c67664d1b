import type { Config } from '../platform/config/config.ts'

/**
 * The URL that the client requested, before any reverse proxy. `X-Forwarded-Host` and `X-Forwarded-Proto` are only used if
 * the operator configured `trustForwardedHost`, because without a proxy that sets them a client can forge them.
 */
export function clientUrl(request: Request, config: Pick<Config, 'trustForwardedHost'>): URL {
  const url = new URL(request.url)
  if (!config.trustForwardedHost) return url
  const host = request.headers.get('X-Forwarded-Host')?.split(',')[0]?.trim()
  const protocol = request.headers.get('X-Forwarded-Proto')?.split(',')[0]?.trim()
  const base = `${protocol === 'https' || protocol === 'http' ? `${protocol}:` : url.protocol}//${host || url.host}`
  return URL.canParse(base) ? new URL(`${base}${url.pathname}${url.search}`) : url
}
