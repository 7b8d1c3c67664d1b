const NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

/** "Germany" for DE; what is no code of ISO 3166-1 stays as it is. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (NAMES.of(code) ?? code) : code
}
