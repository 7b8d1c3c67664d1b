import type { Config } from '../../../platform/config/config.ts'

const DAY_MS = 86_400_000
/** RFC 9116, 2.5.5: less than a year. */
const VALID_DAYS = 180

/**
 * The text of `security.txt` (RFC 9116) as of `now` (ms): it is made again for as long as the service runs with these
 * settings, and changes once a day.
 */
export function writeSecurityTxt(
  { contacts, policy }: NonNullable<Config['security']>,
  baseUrl: URL,
  now: number,
): string {
  const expires = new Date((Math.floor(now / DAY_MS) + VALID_DAYS) * DAY_MS).toISOString().replace('.000Z', 'Z')
  const lines = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires}`,
    `Canonical: ${baseUrl.origin}/.well-known/security.txt`,
    ...(policy === undefined ? [] : [`Policy: ${policy}`]),
  ]
  return lines.map((line) => `${line}\r\n`).join('')
}
