import { eachQuota, QUOTA_NAMES, type QuotaName } from '../../../contract/quotas.ts'
import { integer } from './parse-setting.ts'

interface QuotaLimit {
  otherwise: number
  /** The name of the setting, and what it may say. */
  setting?: { name: `QUOTA_${string}`; least: number; most: number }
}

/**
 * What each quota is where nothing says otherwise. Those with a setting depend on who may sign up, and on what Cloudflare
 * bills the operator for; the others bound what one account can fill, far above what a person needs.
 */
const LIMITS = {
  unpaidItems: { otherwise: 20_000, setting: { name: 'QUOTA_UNPAID_ITEMS', least: 1, most: 1_000_000 } },
  unpaidBytes: { otherwise: 10 * 2 ** 30, setting: { name: 'QUOTA_UNPAID_BYTES', least: 1, most: 2 ** 45 } },
  // Each is a Durable Object at work; the clients of this service ask for so many at once.
  merges: { otherwise: 4 },
  folders: { otherwise: 10_000 },
  domains: { otherwise: 20, setting: { name: 'QUOTA_DOMAINS', least: 0, most: 100_000 } },
  sites: { otherwise: 100 },
  // Each takes a key of the node's wallet.
  unusedAddresses: { otherwise: 100 },
  keys: { otherwise: 20 },
} as const satisfies Record<QuotaName, QuotaLimit>

type Limits = typeof LIMITS
export type QuotaSetting = Extract<Limits[QuotaName], { setting: unknown }>['setting']['name']

/** The setting of a quota; `undefined` where none changes it. */
export function quotaSetting(quota: QuotaName): QuotaSetting | undefined {
  const limit = LIMITS[quota]
  return 'setting' in limit ? limit.setting.name : undefined
}

export const QUOTA_SETTINGS: readonly QuotaSetting[] = QUOTA_NAMES.flatMap((quota) => quotaSetting(quota) ?? [])

/** Reads the quotas of an account; `attempt` reads one setting and notes what is wrong with it. */
export function readQuotaLimits(
  attempt: (name: QuotaSetting, parse: (text: string | undefined) => number) => number | undefined,
): Record<QuotaName, number> {
  return eachQuota((quota) => {
    const limit = LIMITS[quota]
    if (!('setting' in limit)) return limit.otherwise
    const { name, least, most } = limit.setting
    return attempt(name, integer(least, most, limit.otherwise)) ?? 0
  })
}
