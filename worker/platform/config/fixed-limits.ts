/**
 * Limits that are the same everywhere, since no two operators have a reason to differ. They are part of the configuration
 * so that a test can pass smaller ones.
 */
export const FIXED_LIMITS = {
  /**
   * A write or a withdrawal waits while the network's fee rate is above this percentage of the one that its price was
   * made with, whose margin of 15 % is used up before: the operator pays the rest, and the double is what a usual spike
   * costs.
   */
  feeCeilingPercent: 200,
  /**
   * Blocks that have to follow the last transaction of a stored item before its transactions are folded: those that the
   * follower stores, so that no reorganisation which it can follow reaches a folded one.
   */
  foldBlocks: 300,
  /** Bytes that the database may have: the most that Cloudflare gives one. */
  databaseBytes: 10_000_000_000,
  /** The most coins that a withdrawal spends. Its fee is told before they are chosen, so it is that of so many. */
  withdrawalInputs: 4,
}

/**
 * What all accounts together may have. Unpaid items bound the rows of the database: a million is an eighth of it. Accounts
 * whose address is not verified and sessions are rows that a stranger can make, and the oldest give way.
 */
export const FIXED_BUDGETS = { unpaidItems: 1_000_000, pendingAccounts: 100_000, sessions: 1_000_000 }

/** Coins are consolidated while the fee rate is below so many times that of the relay: then it costs next to nothing. */
export const CONSOLIDATE_TIMES = 5n

/** Deposits of an account wait until they are so many times the dust limit: less costs more to spend than it is worth. */
export const MIN_DEPOSIT_TIMES = 10n

/** Days until an object of a cache is removed: what is read again after so long is fetched once more. */
export const CACHE_DAYS = 30

/**
 * What one request for IPFS content may cost. A unit of work is a block of up to 1 KiB of links, some 60 µs: so many are a
 * second, beside those that its bytes account for. The bytes are those of a large disk image; more is asked for in parts.
 */
export const IPFS_REQUEST_LIMITS = { maxWork: 2 ** 14, maxResponseBytes: 5 * 2 ** 30 }
