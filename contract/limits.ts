/** Files of one directory: each is a few operations on the bucket, and one invocation may do some thousands. */
export const MAX_DIRECTORY_FILES = 2000

/** Items of one request, and uploads that one request merges. */
export const MAX_LISTED_ITEMS = 100

/** Files of one order. */
export const MAX_ESTIMATED_FILES = 10_000

/** Items of one payment request: cancelling removes all of them in one transaction of the database. */
export const MAX_PAID_ITEMS = 200

/** Transactions of one item, and txids of one request for content. */
export const MAX_TXIDS = 15_000

/** Characters of the name of a person or a thing. */
export const MAX_NAME = 100
