/**
 * The form of the readable address of a site, the label in `<address>.<storage host>`: letters first, no `--`, as
 * encoded names have it (RFC 5891, 4.2.3.1), and not hex digits alone, as ids and hashes have.
 */
export const SITE_ADDRESS_PATTERN = '^(?!.*--)(?![0-9a-f]+$)[a-z][a-z0-9-]{1,38}[a-z0-9]$'

const FORM = new RegExp(SITE_ADDRESS_PATTERN)

/** Whether a label has the form of an address; whether it is one, the database knows. */
export function isSiteAddress(label: string): boolean {
  return FORM.test(label)
}
