/** So many usual times between two blocks, and at least an hour, pass without a block once in some years. */
export const TIP_OLD_BLOCKS = 18

/** A sign that something needs an operator. `docs/operate/alerts.md` has them as a table, which `npm run docs:logs` writes. */
export interface Sign {
  /** When it is raised, in words. */
  when: string
  /** What an operator does. */
  act: string
}

const NODE = 'look at the node; runbook "Node behind"'

/** All signs, by name. */
export const SIGNS = {
  database_down: {
    when: 'D1 does not answer the job of the minute',
    act: "look at Cloudflare's status page; nothing is lost, everything goes on when D1 is back",
  },
  storage_down: { when: 'D1 or R2 does not answer `/v0/health`', act: "look at Cloudflare's status page and the log" },
  job_failed: { when: 'a job of the minute failed', act: 'look at the log: `job_failed` has the reason' },
  database_filling: {
    when: '80 % of the 10 GB that D1 holds is used',
    act: 'runbook "Database full"',
  },
  database_full: {
    when: '95 % of the 10 GB that D1 holds is used: nobody can upload',
    act: 'runbook "Database full"',
  },
  mail_waits: { when: 'mails wait that their provider does not accept', act: 'runbook "Mail down"' },
  denylist_not_read: { when: '`DENYLIST_URL` could not be read', act: 'look at that address' },
  cache_spent: {
    when: 'readers filled a cache with all that it takes in an hour',
    act: 'for hours on end: runbooks "Abuse" and "Cost"',
  },
  report_waits: {
    when: 'a report of content waits for a decision for a day',
    act: 'decide it in the console, _Reports_; runbook "Abuse"',
  },
  chain_down: { when: 'no node of the chain answers', act: NODE },
  index_missing: {
    when: 'no node of the chain has a complete index of transactions',
    act: 'set `txindex=1`, or wait until it is built',
  },
  payment_down: { when: "the chain's node, wallet or agent does not work: nothing is sold on it", act: NODE },
  tip_old: {
    when: `no block came for ${TIP_OLD_BLOCKS} times the usual interval, and at least an hour`,
    act: `compare the node's height with a public explorer; ${NODE}`,
  },
  stopped: {
    when: 'payouts, or writing, are stopped',
    act: 'find out why, then resume them: `PUT /v0/operate/stop/<chain>`',
  },
  record_failed: {
    when: 'a payment, request, item or tx chain could not be processed',
    act: '`GET /v0/operate/failed-records` lists it with the reason',
  },
  incident: {
    when: 'something paid makes no progress for 36 blocks',
    act: 'look at fees, free coins and the node',
  },
  items_stopped: {
    when: 'items are in `409 Conflict`',
    act: '`GET /v0/operate/failed-records` has the reasons; `POST /v0/item/<id>/retry` resumes one',
  },
  withdrawal_held: {
    when: 'a withdrawal is above a limit',
    act: 'approve or refund it: `GET /v0/operate/failed-records`. Many at once: a password may be stolen',
  },
  withdrawal_waits: {
    when: 'a withdrawal waits for an hour',
    act: 'look at fees and free coins; are payouts stopped?',
  },
  wallet_coins: {
    when: 'the wallet has too few free coins, too few keys, or more or less than its limits',
    act: 'do what `remedy` of `GET /v0/operate/health` says',
  },
  wallet_short: {
    when: 'the wallet holds less than accounts could withdraw',
    act: 'expected while coins are kept offline: refill it; otherwise runbook "Wallet lost"',
  },
  books_differ: {
    when: 'ledger, wallet and chain differ, or something left the wallet that nobody has assigned',
    act: 'sell nothing before you know why: `GET /v0/operate/reconciliation`, `GET /v0/operate/send`',
  },
  books_old: {
    when: 'the books were not compared for 26 hours',
    act: '`npm run admin -- reconcile --remote`; the node may not answer at night',
  },
} as const satisfies Record<string, Sign>

export type SignName = keyof typeof SIGNS
