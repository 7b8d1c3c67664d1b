/** The time in milliseconds since 1970; the one place the Worker asks for it, so that tests can hold it still. */
export function now(): number {
  return Date.now()
}

/** A time in milliseconds as tokens and answers carry it: whole seconds since 1970 (RFC 7519, NumericDate). */
export function unixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

/** {@link unixSeconds} of a time that may be missing, as answers carry it. */
export function unixSecondsOrNull(milliseconds: number | null | undefined): number | null {
  return milliseconds === null || milliseconds === undefined ? null : unixSeconds(milliseconds)
}

/** {@link now} in whole seconds. */
export function nowSeconds(): number {
  return unixSeconds(now())
}
