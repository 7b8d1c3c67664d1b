import type { PolicyOrigins } from '../../../console/content-policy.ts'
import type { Config } from '../../platform/config/config.ts'
import { isLoopback } from '../../platform/http/host-name.ts'

/**
 * The origins of the console's page and of what it reads. Where the service runs on this machine, whoever opened the
 * page may have written another of the machine's names than `BASE_URL` does.
 */
export function consoleOrigins(url: string, config: Pick<Config, 'baseUrl' | 'storageHost'>): PolicyOrigins {
  const { baseUrl, storageHost } = config
  const asked = new URL(url)
  return {
    apiOrigin: isLoopback(baseUrl.host) && isLoopback(asked.host) ? asked.origin : baseUrl.origin,
    storageOrigin: `${baseUrl.protocol}//${storageHost}`,
  }
}
