const MOST = 8
const HTTPS_OR_LOOPBACK = /^(https:\/\/[\w.:[\]-]+|http:\/\/(127\.[\d.]+|\[::1\]|(.+\.)?localhost)(:\d+)?)$/

/** The error message if `parseGateways` returns undefined. */
export const GATEWAYS_RULE = `must be at most ${MOST} origins, https or loopback, separated by spaces`

/** The origins in an attribute `data-gateways`, without trailing slashes; `undefined` if the list is invalid. */
export function parseGateways(text: string): string[] | undefined {
  try {
    const origins = text
      .split(/\s+/)
      .filter(Boolean)
      .map((name) => {
        const { href, origin } = new URL(name)
        return href === `${origin}/` && HTTPS_OR_LOOPBACK.test(origin) ? origin : undefined
      })
    const known = origins.filter((origin) => origin !== undefined)
    return known.length === origins.length && known.length <= MOST ? known : undefined
  } catch {
    return undefined
  }
}
