import { VERSION } from '../../../../contract/version.ts'
import { COIN } from '../../../../protocol/chains.ts'
import { type Books, differenceOf } from '../difference-of.ts'
import type { Gauge } from './metrics-text.ts'

/** What gauges are made of; times in milliseconds, money in base units. */
interface MetricRows {
  commit: string
  size: { bytes: number; limit: number }
  minuteRun: number | undefined
  mails: number
  records: readonly { blockchain: string; kind: string; count: number }[]
  books: readonly (Books & { blockchain: string; owed: bigint; held: bigint; readAt: number })[]
  alerts: readonly { name: string; subject: string; raisedAt: number | undefined }[]
  admitted: Readonly<Record<string, number>>
  chains: readonly ChainRows[]
}

/** Of a chain. */
export interface ChainRows {
  chain: string
  height: number | undefined
  steppedAt: number | undefined
  tipAt: number | undefined
  waiting: number
  oldest: number | undefined
  stopped: string[]
}

/** The gauges of these rows at `now`, in milliseconds. Pure. */
export function gaugesOf({ chains, books, ...rows }: MetricRows, now: number): Gauge[] {
  const age = (at: number | undefined) => (at === undefined ? undefined : Math.max(0, now - at) / 1000)
  const ofChains = (name: string, help: string, value: (chain: ChainRows) => number | undefined): Gauge =>
    gauge(
      name,
      help,
      chains.map((one) => [{ chain: one.chain }, value(one)]),
    )
  const ofBooks = (name: string, help: string, value: (one: (typeof books)[number]) => bigint): Gauge =>
    gauge(
      name,
      help,
      books.map((one) => [{ chain: one.blockchain }, coins(value(one))]),
    )
  return [
    gauge('hookline_info', 'The version that runs.', [[{ version: VERSION, commit: rows.commit }, 1]]),
    gauge('hookline_minute_age_seconds', 'Since all jobs of the minute last ended well.', [[{}, age(rows.minuteRun)]]),
    gauge(
      'hookline_alert',
      'A sign that needs an operator, 1 while it is raised.',
      rows.alerts
        .filter(({ raisedAt }) => raisedAt !== undefined)
        .map(({ name, subject }) => [{ sign: name, chain: subject }, 1]),
    ),
    gauge('hookline_database_bytes', 'The size of the database, as the platform says it.', [[{}, rows.size.bytes]]),
    gauge('hookline_database_limit_bytes', 'What the database may hold.', [[{}, rows.size.limit]]),
    gauge('hookline_mails_waiting', 'Mails that the provider has not accepted, at most 10,000.', [[{}, rows.mails]]),
    gauge(
      'hookline_cache_filled_bytes',
      'Bytes that readers filled a cache with in this hour.',
      Object.entries(rows.admitted).map(([cache, bytes]) => [{ cache }, bytes]),
    ),
    gauge(
      'hookline_records_waiting',
      'Records that wait for an operator or for their next try, at most 10,000 in all.',
      rows.records.map(({ blockchain, kind, count }) => [{ chain: blockchain, kind }, count]),
    ),
    ofChains('hookline_chain_height', 'The height of the newest block that was followed.', (one) => one.height),
    ofChains('hookline_step_age_seconds', "Since a step of the chain's agent ended.", (one) => age(one.steppedAt)),
    ofChains('hookline_block_age_seconds', 'Since the newest block was met.', (one) => age(one.tipAt)),
    ofChains('hookline_items_unwritten', 'Paid items that are not written, at most 10,000.', (one) => one.waiting),
    ofChains('hookline_items_unwritten_age_seconds', 'Since the oldest of them was paid.', (one) => age(one.oldest)),
    gauge(
      'hookline_stopped',
      'A part of the work of a chain, 1 while it is stopped.',
      chains.flatMap(({ chain, stopped }) => stopped.map((part) => [{ chain, part }, 1])),
    ),
    gauge(
      'hookline_books_age_seconds',
      'Since the books of a chain were compared.',
      books.map((one) => [{ chain: one.blockchain }, age(one.readAt)]),
    ),
    ofBooks('hookline_books_difference_coins', 'By how much the books differed then.', differenceOf),
    ofBooks('hookline_wallet_held_coins', 'What the wallet held then.', ({ held }) => held),
    ofBooks('hookline_wallet_owed_coins', 'What the ledger owed to accounts then.', ({ owed }) => owed),
  ]
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | undefined]

/** A gauge without the samples whose value nobody knows. */
function gauge(name: string, help: string, samples: readonly Sample[]): Gauge {
  return { name, help, samples: samples.flatMap(([labels, value]) => (value === undefined ? [] : [{ labels, value }])) }
}

/** Coins as a floating-point number, which a chart needs no better. */
function coins(amount: bigint): number {
  return Number(amount) / Number(COIN)
}
