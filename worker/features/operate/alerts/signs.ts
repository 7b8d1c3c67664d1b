import type { Blockchain } from '../../../../protocol/chains.ts'
import type { DatabaseState } from '../../../platform/d1/database-room.ts'
import type { ChainHealth } from '../../health/check-health.ts'
import { SIGNS, type SignName, TIP_OLD_BLOCKS } from './sign-table.ts'

const HOUR = 3_600_000
/** A comparison of the books is made each night, and another follows a failure only at the next. */
const BOOKS_OLD = 26 * HOUR
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
    record_failed: answers && count(health.setAside, 'wait for their next try'),
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
