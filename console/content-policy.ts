/** The origins that the console talks to. */
export interface PolicyOrigins {
  /** The API, which serves the console too: `https://api.example`. */
  apiOrigin: string
  /** The apex of the storage host, which serves /ipfs; pages that are shown run on hosts below it. */
  storageOrigin: string
  /** The faucet of embedded chains, which pays requests; undefined where there is none. */
  faucet?: string | undefined
}

/**
 * The Content-Security-Policy of the console's page. The API's origin also serves untrusted content, so scripts are
 * allowed by path and never by `'self'`. The Trusted Types policies are that of the page helper, and one for the
 * console's only worker.
 */
export function consolePolicy({ apiOrigin, storageOrigin, faucet }: PolicyOrigins): string {
  return [
    "default-src 'none'",
    `script-src ${apiOrigin}/console/ ${apiOrigin}/hook.js ${apiOrigin}/hook/ 'wasm-unsafe-eval'`,
    `worker-src ${apiOrigin}/console/assets/`,
    `style-src ${apiOrigin}/console/`,
    ['connect-src', apiOrigin, storageOrigin, ...(faucet === undefined ? [] : [faucet])].join(' '),
    "img-src 'self' blob:",
    "media-src 'self' blob:",
    `frame-src ${apiOrigin}/frame ${storageOrigin.replace('://', '://*.')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types hookline console',
  ].join('; ')
}

/**
 * The Content-Security-Policy of the console's files. Browsers apply it to a file that runs as a worker, so what the
 * worker compresses cannot be sent anywhere else.
 */
export function assetPolicy({ apiOrigin }: Pick<PolicyOrigins, 'apiOrigin'>): string {
  const own = `${apiOrigin}/console/assets/`
  return `default-src 'none'; script-src ${own} 'wasm-unsafe-eval'; connect-src ${own}; require-trusted-types-for 'script'`
}
