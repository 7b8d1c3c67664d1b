import type { Config } from '../../../platform/config/config.ts'
import { invalidField } from '../../../platform/http/errors.ts'
import { hostName } from '../../../platform/http/host-name.ts'
import { isDomainName } from './match-domain.ts'

/**
 * A host as a user writes it, in its one spelling.
 * @throws {AppError} 400 for what is no domain name, a public suffix, a name of ours, or one that looks like ours.
 */
export async function parseClaimedHost(text: string, config: Pick<Config, 'baseUrl' | 'storageHost'>): Promise<string> {
  const written = /^[^\s/?#@:\\]+$/.test(text) ? text : ''
  const host = URL.canParse(`http://${written}`) ? hostName(new URL(`http://${written}`).host) : ''
  if (!isDomainName(host)) throw invalidField('host', 'must be a domain name such as www.example.com.')
  // The list of public suffixes and the table of look-alikes are large, and few requests need them.
  const { isPublicSuffix, compareToOwnHosts } = await import('./validate-host.ts')
  if (isPublicSuffix(host)) throw invalidField('host', 'is a public suffix, under which anybody may have a domain.')
  const meant = compareToOwnHosts(host, [hostName(config.baseUrl.host), hostName(config.storageHost)])
  if (meant === 'own') throw invalidField('host', 'is one of the names of this service.')
  if (meant === 'look-alike') throw invalidField('host', 'looks like one of the names of this service.')
  return host
}
