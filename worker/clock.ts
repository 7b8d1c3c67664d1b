/** The time in milliseconds since 1970; the one place the Worker asks for it, so that tests can hold it still. */
export function now(): number {
  return Date.now()
}

/** The time as tokens carry it: whole seconds since 1970 (RFC 7519, NumericDate). */
export function nowSeconds(): number {
  return Math.floor(now() / 1000)
}
