/** What an account may have at most, stored items aside, as a sentence about it says it. */
export const QUOTAS = {
  unpaidItems: 'items that are not paid for',
  unpaidBytes: 'bytes in items that are not paid for',
  merges: 'merges at once',
  folders: 'folders that no file is in',
  domains: 'domains',
  sites: 'sites',
  unusedAddresses: 'deposit addresses that nothing was sent to',
  keys: 'API keys',
} as const

export type QuotaName = keyof typeof QUOTAS

export const QUOTA_NAMES = Object.keys(QUOTAS).filter((name): name is QuotaName => name in QUOTAS)

/** A value for each quota. */
export function eachQuota<T>(make: (quota: QuotaName) => T): Record<QuotaName, T> {
  return {
    unpaidItems: make('unpaidItems'),
    unpaidBytes: make('unpaidBytes'),
    merges: make('merges'),
    folders: make('folders'),
    domains: make('domains'),
    sites: make('sites'),
    unusedAddresses: make('unusedAddresses'),
    keys: make('keys'),
  }
}
