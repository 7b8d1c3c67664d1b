import { inWords, LIFETIMES } from '../../../contract/lifetimes.ts'
import { MAX_SITE_PERIODS, REPORT_LIMITS } from '../../../contract/limits.ts'

/** A table that grows: bytes of a row with its indexes and its trigger-maintained rows, and how long a row is stored. */
interface RetainedTable {
  bytes: number
  kept: string
}

const EVER = 'for ever'
const OWNER = 'until its owner deletes it'

/**
 * Every table whose rows grow with the service, and how long they are stored. Bytes are measured with typical rows
 * (tests/simulation/table-retention.test.ts); docs/operate/limits.md shows this as a table.
 */
export const TABLE_RETENTION = {
  items: { bytes: 1327, kept: `for ever once paid; unpaid ${inWords(LIFETIMES.unpaid)} after anything last happened` },
  item_txids: { bytes: 152, kept: 'as its item; 32 bytes and not 64 for each further transaction once folded' },
  transactions: {
    bytes: 565,
    kept: 'until its item is folded; of withdrawals, and what pays for tx chains, for ever',
  },
  transaction_inputs: { bytes: 338, kept: 'as its transaction; one of some 24' },
  signed_bundles: { bytes: 61, kept: 'until 300 blocks are above its transactions' },
  tx_chains: { bytes: 420, kept: 'for ever; one for some 24 transactions and more' },
  writes: { bytes: 342, kept: EVER },
  payment_requests: { bytes: 473, kept: EVER },
  payment_request_items: { bytes: 221, kept: EVER },
  addresses: { bytes: 356, kept: 'for ever: a payment may still arrive' },
  outputs: { bytes: 395, kept: 'for ever: deposits' },
  ledger: { bytes: 266, kept: 'for ever: receipts are made of it' },
  withdrawals: { bytes: 657, kept: EVER },
  sends: { bytes: 211, kept: EVER },
  swept_bundles: { bytes: 49, kept: 'for ever; one for signed bytes that were never recorded' },
  users: { bytes: 317, kept: `for ever; ${inWords(LIFETIMES.unverified)} where the address is never verified` },
  sessions: { bytes: 225, kept: `until it expires: ${inWords(LIFETIMES.refresh)}, or as long as its owner asked` },
  mail_links: { bytes: 221, kept: inWords(LIFETIMES.mailLink) },
  sign_up_waits: { bytes: 137, kept: inWords(LIFETIMES.mailLink) },
  mails: { bytes: 225, kept: `until it is sent; ${inWords(LIFETIMES.mailLink)}` },
  order_mails: { bytes: 300, kept: '8 days' },
  attempts: { bytes: 276, kept: `${inWords(LIFETIMES.failedLogin)}; of mails a day; a million` },
  passkeys: { bytes: 256, kept: OWNER },
  passkey_challenges: { bytes: 49, kept: inWords(LIFETIMES.challenge) },
  api_keys: { bytes: 373, kept: OWNER },
  api_key_spending: { bytes: 115, kept: 'until the day is over' },
  idempotency_keys: { bytes: 557, kept: inWords(LIFETIMES.idempotencyKey) },
  events: { bytes: 479, kept: inWords(LIFETIMES.events) },
  event_streams: { bytes: 213, kept: 'half a minute after it ended' },
  webhooks: { bytes: 377, kept: OWNER },
  webhook_deliveries: { bytes: 117, kept: 'until it is delivered or abandoned' },
  audit: { bytes: 299, kept: `for ever; logins and ended sessions ${inWords(LIFETIMES.auditedLogin)}` },
  reports: { bytes: 352, kept: `${inWords(LIFETIMES.decidedReport)} after it was decided` },
  report_statements: { bytes: 86, kept: `as its report; ${REPORT_LIMITS.statements} at most` },
  report_networks: { bytes: 39, kept: 'until its report is decided' },
  report_clients: { bytes: 100, kept: 'an hour' },
  denied: { bytes: 264, kept: EVER },
  folders: { bytes: 535, kept: `until it is removed; empty ${inWords(LIFETIMES.unpaid)}` },
  orders: { bytes: 203, kept: 'until the last of what is in it is deleted' },
  upload_leases: { bytes: 82, kept: 'as its upload' },
  sites: { bytes: 229, kept: OWNER },
  site_versions: { bytes: 272, kept: 'as its site' },
  site_periods: { bytes: 139, kept: `as its site; the latest ${MAX_SITE_PERIODS}` },
  site_addresses: { bytes: 160, kept: EVER },
  domains: { bytes: 432, kept: 'until its owner deletes it, or DNS has not named it for a week' },
  waiting_domains: { bytes: 328, kept: '8 days' },
  domain_answers: { bytes: 119, kept: `${inWords(LIFETIMES.domainAnswer)} without a visit` },
  progress: { bytes: 102, kept: 'until what it is about has ended' },
  failed_records: { bytes: 119, kept: 'until it is processed' },
} as const satisfies Record<string, RetainedTable>

/** Tables with one row a chain or a few in all, and tables whose bytes are counted with the table they belong to. */
export const SMALL_TABLES: readonly string[] = [
  ...[
    'alert_messages',
    'alerts',
    'assertions',
    'blocks',
    'cache_admissions',
    'chain_states',
    'database_sizes',
    'denylist_import',
    'holdings',
    'incidents',
  ],
  ...['item_numbers', 'item_words', 'minute_runs', 'open_reports', 'order_mail_position', 'payout_numbers', 'prices'],
  ...['reconciliation_asks', 'reconciliations', 'stops', 'sweep_positions', 'table_counts'],
  ...['wallet_scans', 'webhook_position'],
]
