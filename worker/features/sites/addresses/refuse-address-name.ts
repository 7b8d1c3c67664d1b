import { getDomainWithoutSuffix } from 'tldts'
import type { Config } from '../../../platform/config/config.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { hostName } from '../../../platform/http/host-name.ts'
import { compareToOwnHosts, skeleton } from '../domains/validate-host.ts'
import { IMITATED_NAMES, IMITATED_WORDS, RESERVED_NAMES } from './address-names.ts'

/** Letters from which on a name of ours is refused also as a part of an address: shorter ones are parts of words. */
const PART_LETTERS = 6

/**
 * Refuses an address that is ours, or looks like a name of ours or of others (Unicode Technical Standard 39, confusables,
 * as domains are compared; hyphens count for nothing). Its form is checked before.
 * @throws {AppError} 400 `address_reserved` or `address_misleading`.
 */
export function refuseAddressName(
  address: string,
  { baseUrl, storageHost, reservedNames }: Pick<Config, 'baseUrl' | 'storageHost' | 'reservedNames'>,
): void {
  const hosts = [hostName(baseUrl.host), hostName(storageHost)]
  const own = hosts.flatMap((host) => getDomainWithoutSuffix(host, { allowPrivateDomains: true }) || [])
  const reserved = [...RESERVED_NAMES, ...reservedNames, ...own]
  if (reserved.includes(address)) {
    throw new AppError(
      400,
      'address_reserved',
      `The address ${address} is reserved by this service. Choose another one.`,
    )
  }
  const shape = shapeOf(address)
  const parts = [
    ...IMITATED_NAMES,
    ...own.filter((name) => name.length >= PART_LETTERS && !RESERVED_NAMES.includes(name)),
  ]
  const meant =
    [...reserved, ...IMITATED_WORDS].find((name) => shapeOf(name) === shape) ??
    parts.find((name) => shape.includes(shapeOf(name))) ??
    (compareToOwnHosts(address, hosts) && hosts[0])
  if (meant === undefined) return
  const message = `The address ${address} can be mistaken for ${meant}. Choose one that cannot.`
  throw new AppError(400, 'address_misleading', message)
}

/** Two labels that people may take for each other have the same shape. */
function shapeOf(label: string): string {
  return skeleton(label.replaceAll('-', ''))
}
