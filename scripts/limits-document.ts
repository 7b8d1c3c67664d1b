import {
  CAR_LIMITS,
  MAX_LONG_SESSIONS,
  MAX_PASSKEYS,
  MAX_SESSIONS,
  MAX_SITE_FILE_BYTES,
  MAX_STREAMS,
  MAX_TXIDS,
  MAX_WEBHOOKS,
  REPORT_LIMITS,
} from '../contract/limits.ts'
import { QUOTA_NAMES, QUOTAS } from '../contract/quotas.ts'
import { type Config, ConfigurationError, checkConfig } from '../worker/platform/config/config.ts'
import { IPFS_REQUEST_LIMITS } from '../worker/platform/config/fixed-limits.ts'
import { quotaSetting } from '../worker/platform/config/quota-limits.ts'
import { TABLE_RETENTION } from '../worker/platform/d1/table-retention.ts'
import { COUNTED_LIMITS, type CountedLimitName, RATE_LIMITS } from '../worker/platform/http/rate-limits.ts'
import { type Row, table } from './markdown-table.ts'
import { settingsTables } from './settings/settings-document.ts'

/** The pages that have the limits and the settings, and the comments around what the code makes of them. */
export const LIMITS_PAGE = new URL('../docs/operate/limits.md', import.meta.url)
export const SETTINGS_PAGE = new URL('../docs/operate/settings.md', import.meta.url)
const SETTINGS_BEGIN = '<!-- Settings, made by `npm run docs:limits`. -->\n'
const SETTINGS_END = '<!-- Up to here the settings. -->\n'
const BEGIN = '<!-- Made by `npm run docs:limits`. -->\n'
const END = '<!-- Up to here. -->\n'

/** What each limit counts that is counted in the database. */
const COUNTED: Readonly<Record<CountedLimitName, string>> = {
  login: 'failed logins of one email address by one client (an IPv4 address, or a /64)',
  'login-client': 'failed logins by one client',
  'login-device': 'failed logins on one known device',
  'login-56': 'failed logins by a /56, above which a proof is required',
  'login-48': 'failed logins by a /48, above which a proof is required',
  'login-address': 'failed logins of one email address, above which a proof is required',
  mail: 'mails that one client has sent to one mailbox',
  'mail-client': 'mails that one client has sent',
  'mail-address': 'mails to one mailbox',
  'mail-hour': 'mails of one kind to a mailbox above that',
  addresses: 'deposit addresses of an account',
  domains: 'claims and checks of domains by an account',
  uploads: 'lists of uploads by an account',
  webhooks: 'tests of webhooks by an account',
  idempotency: '`Idempotency-Key`s of an account',
  'report-lookups': 'lookups of what is reported, in all',
  'report-lookups-network': 'lookups of what is reported, for one network (24 bits of IPv4, 48 of IPv6)',
  reports: 'reports by one client',
}

/** The tables of limits, with the numbers that the code has. */
function limitsTables(): string {
  const config = defaults()
  const counted = Object.entries(COUNTED).map(([name, what]): Row => {
    const { most, seconds } = Object.entries(COUNTED_LIMITS).find(([limit]) => limit === name)?.[1] ?? {
      most: 0,
      seconds: 0,
    }
    return [what, `${count(most)} in ${duration(seconds)}`, `\`${name}\``]
  })
  return `\n${table(['limit', 'value', 'setting'], rows(config))}
What the database counts, in a sliding window; \`RateLimit\` uses these names:

${table(['limit', 'value', 'name'], counted)}
The tables of the database: bytes per row with its indexes, and how long a row is stored:

${table(['table', 'bytes a row', 'stored'], retentionRows())}\n`
}

/** A page with the tables of limits. @throws {Error} where it has no place for them. */
export function withLimits(page: string): string {
  return replaceBetween(page, BEGIN, END, limitsTables())
}

/** A page with the tables of settings. @throws {Error} where it has no place for them. */
export function withSettings(page: string): string {
  return replaceBetween(page, SETTINGS_BEGIN, SETTINGS_END, settingsTables())
}

function replaceBetween(page: string, begin: string, end: string, text: string): string {
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)]
  if (start < 0 || stop < start) throw new Error(`The page has no place for what is between ${begin} and ${end}`)
  return page.slice(0, start + begin.length) + text + page.slice(stop)
}

function retentionRows(): Row[] {
  return Object.entries(TABLE_RETENTION).map(([name, { bytes, kept }]): Row => [`\`${name}\``, count(bytes), kept])
}

function rows({ quotas, beforePayment, budgets, ...config }: Config): Row[] {
  return [
    [
      'content on a chain, stored / decoded',
      `${size(config.maxContentBytes)} / ${size(config.maxDecodedBytes)}`,
      '`MAX_CONTENT_BYTES`, `MAX_DECODED_BYTES`, see below',
    ],
    ['transactions of an item, txids of a request', count(MAX_TXIDS), ''],
    ['IPFS item', size(config.maxItemBytes), '`MAX_ITEM_BYTES`'],
    ['an answer from IPFS', size(IPFS_REQUEST_LIMITS.maxResponseBytes), ''],
    ['work of a request for IPFS content', `${count(IPFS_REQUEST_LIMITS.maxWork)} units`, 'see below'],
    [
      'CAR import, one request body',
      `${CAR_LIMITS.bytes / 1e6} MB, ${count(CAR_LIMITS.blocks)} blocks`,
      "Cloudflare's own (Free, Pro)",
    ],
    [
      'CAR import, by tus',
      `${size(config.maxItemBytes)}, ${count(CAR_LIMITS.uploadedBlocks)} blocks`,
      '`MAX_ITEM_BYTES`; operations of one invocation',
    ],
    [
      'reads / writes of one client address and data centre',
      `${count(RATE_LIMITS.read.most)} / ${count(RATE_LIMITS.write.most)} in ${duration(RATE_LIMITS.read.seconds)}`,
      '`[[ratelimits]]` in wrangler.toml',
    ],
    ['of an account that never paid: unpaid items', count(beforePayment.items), '`QUOTA_FIRST_ITEMS`'],
    ...QUOTA_NAMES.map((quota): Row => {
      const [value, setting] = [quotas[quota], quotaSetting(quota)]
      const told = quota === 'unpaidBytes' ? size(value) : count(value)
      return [`of an account: ${QUOTAS[quota]}`, told, setting ? `\`${setting}\`` : '']
    }),
    [
      'of an account: bytes in unpaid items, without a credit in 90 days',
      `${count(beforePayment.bytes / 1e6)} MB`,
      '`QUOTA_FIRST_BYTES`, see below',
    ],
    ['of all accounts: unpaid items', count(budgets.unpaidItems), 'see below'],
    ['of all accounts: bytes in unpaid items', size(budgets.unpaidBytes), '`BUDGET_UNPAID_BYTES`, see below'],
    ['accounts whose address is not verified', count(budgets.pendingAccounts), ''],
    ['of all accounts: sessions', count(budgets.sessions), ''],
    ['of an account: sessions', count(MAX_SESSIONS), ''],
    ['of an account: passkeys', count(MAX_PASSKEYS), ''],
    ['of an account: sessions with a lifetime of more than 24 hours', count(MAX_LONG_SESSIONS), ''],
    ['of an account: webhooks', count(MAX_WEBHOOKS), ''],
    ['of an account: streams of events at once', count(MAX_STREAMS), ''],
    [
      'open reports: in total / first sent from one network',
      `${count(REPORT_LIMITS.open)} / ${REPORT_LIMITS.openOfNetwork}`,
      '',
    ],
    ['`_headers` / `_redirects` of a site', `${size(MAX_SITE_FILE_BYTES)} each`, ''],
  ]
}

/** What holds where an operator sets nothing. */
function defaults(): Config {
  const key = { kty: 'oct', alg: 'HS256', k: 'A'.repeat(43) }
  const needed = { BASE_URL: 'https://api.example', STORAGE_HOST: 'storage.example' }
  const config = checkConfig({ ...needed, TOKEN_JWKS: JSON.stringify({ keys: [key] }) })
  if (config instanceof ConfigurationError) throw config
  return config
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const step = Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${count(bytes / 1024 ** step)} ${units[step]}`
}

function duration(seconds: number): string {
  if (seconds === 60) return 'a minute'
  if (seconds === 3600) return 'an hour'
  return seconds === 86_400 ? 'a day' : `${seconds / 60} minutes`
}
