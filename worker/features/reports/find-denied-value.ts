import type { DeniedKind } from '../../../contract/states.ts'
import { isSiteAddress } from '../../../protocol/site-address.ts'
import type { DeniedValue } from '../../content/denylist/denied.ts'
import { parseDeniedValue } from '../../content/denylist/denied-value.ts'
import type { Config } from '../../platform/config/config.ts'
import { notFound } from '../../platform/http/errors.ts'
import { hostName } from '../../platform/http/host-name.ts'
import { selectAddress } from '../sites/sql/site-addresses.ts'

/**
 * What is reported or denied, in its one spelling. An item or site may be named by its host, or a page on it, and a site by
 * its readable address: the id is what stays.
 * @throws {AppError} 400, 404 for an address that no site has or had.
 */
export async function findDeniedValue(
  db: D1Database,
  { storageHost }: Pick<Config, 'storageHost'>,
  kind: DeniedKind,
  value: string,
): Promise<DeniedValue> {
  if (kind !== 'item') return parseDeniedValue(kind, value)
  const label = labelOf(value.trim(), hostName(storageHost))
  if (!isSiteAddress(label)) return parseDeniedValue(kind, label)
  const address = await selectAddress(db, label)
  if (!address) throw notFound('No site has or had this address. Check the spelling.')
  return parseDeniedValue(kind, address.siteId)
}

/** The label in the text of a host below the storage host, or of an address on it; else the text. */
function labelOf(text: string, storageHost: string): string {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`
  const host = URL.canParse(address) ? hostName(new URL(address).host) : ''
  return host.endsWith(`.${storageHost}`) ? host.slice(0, -storageHost.length - 1) : text
}
