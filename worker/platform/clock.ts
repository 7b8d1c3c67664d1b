/** The time in milliseconds since 1970. The Worker reads its clock only here, so that tests can freeze it. */
export function now(): number {
  return Date.now()
}

/** Whole seconds since 1970 of a time in milliseconds, as tokens and answers have it (RFC 7519, NumericDate). */
export function unixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

/** {@link unixSeconds} of a time that may be missing; then null. */
export function unixSecondsOrNull(milliseconds: number | null | undefined): number | null {
  return milliseconds === null || milliseconds === undefined ? null : unixSeconds(milliseconds)
}

/** {@link now} in whole seconds. */
export function nowSeconds(): number {
  return unixSeconds(now())
}
