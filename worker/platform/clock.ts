/** The time in milliseconds since 1970. The Worker reads its clock only here, so that tests can freeze it. */
export function now(): number {
  return Date.now()
}

/** Converts milliseconds to whole Unix seconds, the unit of tokens (RFC 7519, NumericDate) and API responses. */
export function unixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

/** As {@link unixSeconds}; null if the time is missing. */
export function unixSecondsOrNull(milliseconds: number | null | undefined): number | null {
  return milliseconds === null || milliseconds === undefined ? null : unixSeconds(milliseconds)
}

/** {@link now} in whole seconds. */
export function nowSeconds(): number {
  return unixSeconds(now())
}
