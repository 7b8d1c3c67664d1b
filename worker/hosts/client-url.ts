import type { Config } from '../platform/config/config.ts'

/**
 * The URL as the client wrote it. `X-Forwarded-Host` and `X-Forwarded-Proto` count where the operator says that a
 * proxy of theirs sets them, and nowhere else: anyone can send them.
 */
export function clientUrl(request: Request, config: Pick<Config, 'trustForwardedHost'>): URL {
  const url = new URL(request.url)
  if (!config.trustForwardedHost) return url
  const host = request.headers.get('X-Forwarded-Host')?.split(',')[0]?.trim()
  const protocol = request.headers.get('X-Forwarded-Proto')?.split(',')[0]?.trim()
  const base = `${protocol === 'https' || protocol === 'http' ? `${protocol}:` : url.protocol}//${host || url.host}`
  return URL.canParse(base) ? new URL(`${base}${url.pathname}${url.search}`) : url
}
