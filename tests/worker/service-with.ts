import { env } from 'cloudflare:test'
import type { Env } from '../../worker/platform/bindings.ts'
import type { Config } from '../../worker/platform/config/config.ts'
import { readConfig } from '../../worker/platform/config/read-config.ts'

/** The bindings of a service whose configuration has these values: limits that no setting changes, small enough to reach. */
export function serviceWith(change: Partial<Config>): Env {
  const service = { ...env }
  Object.assign(readConfig(service), change)
  return service
}
