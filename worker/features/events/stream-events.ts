import type { Config } from '../../platform/config/config.ts'
import { countStatements } from '../../platform/d1/count-statements.ts'
import { D1_LIMITS } from '../../platform/d1/d1-limits.ts'
import {
  type QueuedEvent,
  selectEvents,
  selectFirstEvent,
  selectLastEvent,
} from '../../platform/records/event-queue.ts'
import { eventMessage, greeting, HEARTBEAT, resetMessage } from './event-text.ts'
import { watchSnapshots } from './snapshots.ts'
import { deleteStreamLease, renewStreamLease } from './sql/event-streams.ts'

/** Between two polls of the database, in milliseconds. */
const LOOK_EVERY = 2_000
/** A lease is renewed so often, in milliseconds. */
const RENEW_EVERY = 6_000
/** A lease that is not renewed for so long is that of a stream that was abandoned, in milliseconds. */
export const LEASE = 30_000
/** Events read at a time. */
const EVENTS_AT_A_TIME = 100
/** A stream ends before the statements that one invocation may send are used up; its reader reconnects. */
const MAX_STATEMENTS = D1_LIMITS.statementsPerInvocation - 200

/** A stream of one account; times in milliseconds. */
export interface StreamRequest {
  db: D1Database
  config: Config
  userId: string
  /** The row that counts it among the streams of its account. */
  leaseId: string
  /** Whether it sends events of money too, or of items only. */
  money: boolean
  /** The last event that the reader has; `undefined` for one that begins now. */
  after: number | undefined
  /** When it ends at the latest. */
  until: number
  /** The time. */
  clock(): number
  /** Resolves when that many milliseconds are over. */
  wait(ms: number): Promise<void>
}

/**
 * What a stream of events sends, message by message: the events behind `after` in their order, what items and payments
 * are like whenever they change, and a heartbeat where there is nothing else. It ends at `until`, when the account's
 * tokens end, or when it has sent as many statements as one invocation may. The lease is returned in the end.
 */
export async function* streamEvents(request: StreamRequest): AsyncGenerator<string, void> {
  const { userId, leaseId, money, until, clock, wait } = request
  const { db, count } = countStatements(request.db)
  try {
    const begun = await begin(db, request)
    yield begun.greeting
    let { after } = begun
    const snapshots = watchSnapshots(db, request.config, { userId, start: clock(), money })
    for (let renewedAt = clock(); clock() < until && count() < MAX_STATEMENTS; ) {
      const events = await selectEvents(db, userId, after, EVENTS_AT_A_TIME)
      after = events.at(-1)?.seq ?? after
      const told = money ? events : events.filter(({ type }) => type.startsWith('item.'))
      const text = [...told.map(eventMessage), ...(await snapshots.read(clock(), addressesOf(told)))].join('')
      // With every poll: only a failed write shows that the reader has disconnected, and the next stream may be waiting.
      yield text === '' ? HEARTBEAT : text
      if (clock() - renewedAt >= RENEW_EVERY) {
        renewedAt = clock()
        if (!(await renewStreamLease(db, leaseId, renewedAt + LEASE))) return
      }
      if (events.length < EVENTS_AT_A_TIME) await wait(Math.min(LOOK_EVERY, Math.max(0, until - clock())))
    }
  } finally {
    await deleteStreamLease(request.db, leaseId)
  }
}

/** Where the stream begins, and the message that says so: `reset` where events that its reader has not seen are gone. */
async function begin(
  db: D1Database,
  { after, clock }: Pick<StreamRequest, 'after' | 'clock'>,
): Promise<{ after: number; greeting: string }> {
  const last = await selectLastEvent(db)
  if (after === undefined) return { after: last, greeting: greeting(last) }
  const first = await selectFirstEvent(db)
  const whole = first === undefined ? after === last : after >= first - 1 && after <= last
  if (whole) return { after, greeting: greeting(after) }
  return { after: last, greeting: greeting(last) + resetMessage(last, clock()) }
}

/** The addresses that these events are about. */
function addressesOf(events: readonly QueuedEvent[]): string[] {
  return events.flatMap(({ type, data }) => {
    // A withdrawal has an address too: of somebody else's wallet.
    if (!type.startsWith('request.')) return []
    const about: unknown = JSON.parse(data)
    const address = typeof about === 'object' && about !== null ? Reflect.get(about, 'address') : undefined
    return typeof address === 'string' ? address : []
  })
}
