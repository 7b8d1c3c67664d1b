import type { Blockchain } from '../../../../protocol/chains.ts'
import type { DatabaseState } from '../../../platform/d1/database-room.ts'
import type { ChainHealth } from '../../health/check-health.ts'

const HOUR = 3_600_000
/** A comparison of the books is made each night, and another follows a failure only at the next. */
const BOOKS_OLD = 26 * HOUR
/** So many usual times between two blocks, and at least an hour, pass without a block once in some years. */
const TIP_OLD_BLOCKS = 18
const WITHDRAWAL_WAITS = HOUR
const REPORT_WAITS = 24 * HOUR

/** What the signs of a chain are decided by; times in milliseconds. */
export interface ChainFacts {
  blockchain: Blockchain
  health: ChainHealth
  blockSeconds: number
  /** What is wrong with its node, wallet or agent, in words. */
  reason: string | undefined
  /** What is wrong with the coins or keys of its wallet, which works. */
  walletReason: string | undefined
  /** What is stopped, each with its reason. */
  stopped: readonly string[]
  /** Reasons of incidents. */
  incidents: readonly string[]
  /** Items in `409 Conflict`, and withdrawals that wait for an approval. */
  stoppedItems: number
  heldWithdrawals: number
  /** Since when the oldest withdrawal waits that needs no approval. */
  withdrawalSince: number | undefined
  /** The last comparison of the books. */
  books: { readAt: number; differ: boolean; walletShort: boolean } | undefined
}

/** What signs are decided by at `now`; milliseconds. */
export interface Facts {
  now: number
  /** Jobs of this minute that failed. */
  failedJobs: readonly string[]
  storage: 'ok' | 'down'
  database: DatabaseState
  /** Until the database is full, where that is known. */
  daysLeft: number | undefined
  mailWaits: boolean
  /** Why the denylist that is followed could not be read. */
  denylistProblem: string | undefined
  /** The caches whose bytes of this hour are used up. */
  spentCaches: readonly string[]
  /** Since when the oldest report waits for a decision. */
  reportSince: number | undefined
  chains: readonly ChainFacts[]
}

/** A sign that something needs an operator. `docs/operate/day-two.md` has them as a table, `npm run docs:signs` writes it. */
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
  record_set_aside: {
    when: 'a payment, request, item or tx chain could not be processed',
    act: '`GET /v0/operate/set-aside` lists it with the reason',
  },
  incident: {
    when: 'something paid makes no progress for 36 blocks',
    act: 'look at fees, free coins and the node',
  },
  items_stopped: {
    when: 'items are in `409 Conflict`',
    act: '`GET /v0/operate/set-aside` has the reasons; `POST /v0/item/<id>/retry` resumes one',
  },
  withdrawal_held: {
    when: 'a withdrawal is above a limit',
    act: 'approve or refund it: `GET /v0/operate/set-aside`. Many at once: a password may be stolen',
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

/** A sign that holds: of which chain, where it is of one, and what there is to say. */
export interface FoundSign {
  name: SignName
  /** A chain, or empty. */
  subject: string
  detail: string
}

/** The signs that hold, but for that of a database that does not answer. Pure. */
export function findSigns(facts: Facts): FoundSign[] {
  const { failedJobs, daysLeft, spentCaches, reportSince, denylistProblem } = facts
  const days = daysLeft === undefined ? '' : `, and the rest lasts for ${daysLeft} days`
  const service: Details = {
    storage_down: facts.storage === 'down' && 'D1 or R2 does not answer',
    job_failed: failedJobs.length > 0 && failedJobs.join(', '),
    database_filling: facts.database === 'filling' && `80 % is used${days}`,
    database_full: facts.database === 'full' && `95 % is used${days}`,
    mail_waits: facts.mailWaits && 'the mail provider does not accept mails',
    denylist_not_read: denylistProblem,
    cache_spent: spentCaches.length > 0 && spentCaches.join(', '),
    report_waits: isOlder(reportSince, REPORT_WAITS, facts.now) && 'it was sent more than a day ago',
  }
  return [
    ...namesOf(service, ''),
    ...facts.chains.flatMap((chain) => namesOf(chainDetails(chain, facts.now), chain.blockchain)),
  ]
}

type Details = Partial<Record<SignName, string | false | undefined>>

function chainDetails(chain: ChainFacts, now: number): Details {
  const { health, reason, walletReason, stopped, incidents, books } = chain
  const answers = 'height' in health
  const tip = answers ? health.tip : undefined
  const count = (many: number, what: string) => many > 0 && `${many} ${what}`
  return {
    chain_down: !answers && (reason ?? 'no node of it answers'),
    index_missing: answers && health.index !== undefined && `the index of transactions is ${health.index}`,
    payment_down: answers && health.payment === 'down' && (reason ?? 'its wallet does not work'),
    tip_old:
      tip !== undefined &&
      tip >= Math.max(HOUR / 1000, TIP_OLD_BLOCKS * chain.blockSeconds) &&
      `the newest block came ${Math.floor(tip / 60)} minutes ago`,
    stopped: stopped.join('; '),
    record_set_aside: answers && count(health.setAside, 'wait for their next try'),
    incident: incidents.join('; '),
    items_stopped: count(chain.stoppedItems, 'items'),
    withdrawal_held: count(chain.heldWithdrawals, 'withdrawals'),
    withdrawal_waits: isOlder(chain.withdrawalSince, WITHDRAWAL_WAITS, now) && 'the oldest waits for more than an hour',
    wallet_coins: walletReason,
    wallet_short: books?.walletShort && 'see GET /v0/operate/reconciliation',
    books_differ: books?.differ && 'see GET /v0/operate/reconciliation',
    books_old: isOlder(books?.readAt, BOOKS_OLD, now) && 'its node did not answer, or no job ran',
  }
}

function isOlder(since: number | undefined, ms: number, now: number): boolean {
  return since !== undefined && now - since >= ms
}

function namesOf(details: Details, subject: string): FoundSign[] {
  const names = Object.keys(SIGNS).filter((name): name is SignName => name in SIGNS)
  return names.flatMap((name) => {
    const detail = details[name]
    return detail ? [{ name, subject, detail }] : []
  })
}
