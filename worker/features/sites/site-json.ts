import { unixSeconds, unixSecondsOrNull } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import type { SiteVersion } from './sql/site-versions.ts'
import type { Site } from './sql/sites.ts'

type Hosts = Pick<Config, 'baseUrl' | 'storageHost'>

/** A site as the API answers it; `createdAt` in Unix seconds. */
export function siteJson({ id, name, versions, current, itemId, createdAt }: Site, config: Hosts) {
  return {
    id,
    name,
    host: `${id}.${config.storageHost}`,
    url: hostUrl(id, config),
    version: current,
    item: itemId,
    versions,
    createdAt: unixSeconds(createdAt),
  }
}

/** A version as the API answers it; `url` is where it is seen whether it is current or not. */
export function siteVersionJson(version: SiteVersion, config: Hosts) {
  const { number, itemId, name, note, blockchain, size, createdAt, periods } = version
  return {
    number,
    item: itemId,
    name,
    note,
    blockchain,
    size,
    url: hostUrl(itemId, config),
    createdAt: unixSeconds(createdAt),
    periods: periods.map(({ from, until, by }) => ({
      from: unixSeconds(from),
      until: unixSecondsOrNull(until),
      by,
    })),
  }
}

function hostUrl(id: string, { baseUrl, storageHost }: Hosts): string {
  return `${baseUrl.protocol}//${id}.${storageHost}/`
}
