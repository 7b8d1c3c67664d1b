import { parseAccept } from 'hono/utils/accept'
import { findLanguage, type Language } from '../../../contract/languages.ts'

/** Most characters of the header that are read. */
const MAX_HEADER = 1000

/** Which of our languages `Accept-Language` (RFC 9110, 12.5.4) prefers, if it names one. */
export function preferredLanguage(header = ''): Language | undefined {
  const accepted = parseAccept(header.slice(0, MAX_HEADER)).filter(({ q }) => q > 0)
  return findLanguage(accepted.toSorted((one, other) => other.q - one.q).map(({ type }) => type))
}
