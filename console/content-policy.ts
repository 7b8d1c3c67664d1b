/** The origins that the console talks to. */
export interface PolicyOrigins {
  /** Of the API, which serves the console too: `https://api.example`. */
  apiOrigin: string
  /** Of the storage host's apex, which answers /ipfs. */
  storageOrigin: string
}

/**
 * The Content-Security-Policy of the console's page. The API's origin also serves what strangers stored, so scripts
 * are allowed by path and never by `'self'`. The Trusted Types policies are the page helper's, and the console's for the
 * one worker that it starts.
 */
export function consolePolicy({ apiOrigin, storageOrigin }: PolicyOrigins): string {
  return [
    "default-src 'none'",
    `script-src ${apiOrigin}/console/ ${apiOrigin}/hook.js ${apiOrigin}/hook/ 'wasm-unsafe-eval'`,
    `worker-src ${apiOrigin}/console/assets/`,
    `style-src ${apiOrigin}/console/`,
    `connect-src ${apiOrigin} ${storageOrigin}`,
    "img-src 'self' blob:",
    "media-src 'self' blob:",
    `frame-src ${apiOrigin}/frame`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types hookline console',
  ].join('; ')
}

/**
 * The Content-Security-Policy of the console's files, which a browser heeds where one runs as a worker: what it
 * compresses can go nowhere else.
 */
export function assetPolicy({ apiOrigin }: Pick<PolicyOrigins, 'apiOrigin'>): string {
  const own = `${apiOrigin}/console/assets/`
  return `default-src 'none'; script-src ${own} 'wasm-unsafe-eval'; connect-src ${own}; require-trusted-types-for 'script'`
}
