/** Files of one directory: each is a few operations on the bucket, and one invocation may do some thousands. */
export const MAX_DIRECTORY_FILES = 2000

/** Folders on the path of a file or folder of an account; a directory is in a folder of its own. */
export const MAX_FOLDER_LEVELS = 32

/** Files that one request asks about whether they are stored. */
export const MAX_WANTED_FILES = 2000

/** Items of one request, and uploads that one request merges. */
export const MAX_LISTED_ITEMS = 100

/** Rows of a page: of items, folders, payments, the ledger. */
export const PAGE_ROWS = 50

/** Rows of a page of orders, or of uploads: each needs a query of its own. */
export const SHORT_PAGE_ROWS = 20

/** Rows of a page of the ledger as a table. */
export const TABLE_ROWS = 10_000

/** Matching names that a search reads: the newest. */
export const SEARCHED_NAMES = 2_000

/** Deposit addresses that an account can make in a minute: each is watched permanently. */
export const ADDRESSES_A_MINUTE = 10

/** Bytes of a request about tokens or an account, a form too. */
export const MAX_ACCOUNT_BODY = 8 * 1024

/** Characters of an `Idempotency-Key`. */
export const MAX_IDEMPOTENCY_KEY = 128

/** Characters of the URL of a webhook. */
export const MAX_WEBHOOK_URL = 2_000

/** Addresses of sites that an account may have; what it changed or ended stays its own, and counts. */
export const MAX_ADDRESSES = 10

/** When a site showed which version: the latest are stored. */
export const MAX_SITE_PERIODS = 1_000

/** Bytes a second of a request's body; a slower one is ended. */
export const SLOWEST_BODY = 1024

/** Files of one order. */
export const MAX_ESTIMATED_FILES = 10_000

/** Items of one payment request: cancelling removes all of them in one transaction of the database. */
export const MAX_PAID_ITEMS = 200

/** Bytes of a `_headers` or `_redirects` file (Web _redirects File specification). */
export const MAX_SITE_FILE_BYTES = 64 * 1024

/** Transactions of one item, and txids of one request for content. */
export const MAX_TXIDS = 15_000

/** Txids in the path of a page that has others below it: servers and proxies refuse request lines over 8,000 bytes. */
export const MAX_PATH_TXIDS = 100

/** Transactions of one proof. */
export const MAX_PROOF_TXIDS = 100

/** Headers of one block in a proof, its own counted: unless the request names another number, and the most. */
export const PROOF_DEPTH = { usual: 6, most: 12 } as const

/** Characters of the name of a person or a thing. */
export const MAX_NAME = 100

/** Webhooks of an account. */
export const MAX_WEBHOOKS = 5

/** Streams of events that an account may have open at once. */
export const MAX_STREAMS = 3

/** Passkeys of an account. */
export const MAX_PASSKEYS = 20

/** Sessions of an account; at the next login those that end first are over. */
export const MAX_SESSIONS = 1_000

/** Sessions of an account that were requested with a lifetime of their own. */
export const MAX_LONG_SESSIONS = 20

/**
 * Limits of reports: open ones, open ones that one network was the first to send, stored statements about one thing, counted
 * networks of one thing, and reports that are dismissed at once.
 */
export const REPORT_LIMITS = {
  open: 20_000,
  openOfNetwork: 200,
  statements: 10,
  networks: 1000,
  dismissed: 200,
} as const

/** What a CAR may have: bytes and blocks in one request, and blocks where it was uploaded before. */
export const CAR_LIMITS = { bytes: 100_000_000, blocks: 10_000, uploadedBlocks: 7_500 } as const
