import { isLanguage, type Language } from '../../../../contract/languages.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'
import type { QueuedEvent } from '../../../platform/records/event-queue.ts'
import { insertNoticeMailStatement } from '../../auth/sql/notice-mails.ts'
import { loadWordings } from '../mail-wordings/load-wordings.ts'
import type { OrderNotice } from '../order-mails/describe-event.ts'

const DAY = 86_400_000
/** Mails to an account in a day; what is beyond waits for one mail together. */
const MAILS_A_DAY = 20
/** Events that are looked at, notices that are mailed, and accounts that are mailed what waited, in one run. */
const EVENTS = 500
const MAILED = 50
const DIGESTS = 10
/** Lines of a mail of what waited. */
const DIGEST_LINES = 50
/** For how long (ms) a notice is known, so that it is mailed once: longer than events are. */
const KNOWN_MS = 8 * DAY

/** A notice of an account and its kind and subject, which are its key. */
type NoticeKey = Pick<OrderNotice, 'userId' | 'kind' | 'subject'>

const toEvent = rowReader<QueuedEvent>({})

/**
 * The events after the last ones, of accounts that want mails, and the `seq` up to which all were looked at: `undefined`
 * where there are none.
 */
export async function selectNewEvents(db: D1Database): Promise<{
  events: (QueuedEvent & { language: Language })[]
  upTo: number | undefined
}> {
  const { results } = await db
    .prepare(
      `SELECT e.seq, e.user_id, e.type, e.subject, e.data, e.at, IFNULL(u.order_mails, 0) AS wanted, u.language
       FROM events e LEFT JOIN users u ON u.id = e.user_id AND u.status = 1
       WHERE e.seq > (SELECT seq FROM order_mail_position) ORDER BY e.seq LIMIT ${EVENTS}`,
    )
    .all<Row<QueuedEvent> & { wanted: number; language: string | null }>()
  const wanted = results.filter((row) => row.wanted === 1)
  return {
    events: wanted.map(({ wanted: _, language, ...row }) => ({
      ...toEvent(row),
      language: isLanguage(language) ? language : 'en',
    })),
    upTo: results.at(-1)?.seq,
  }
}

/** Records notices and that all events up to `upTo` were looked at. A notice that is known already stays as it is. */
export async function recordNotices(
  db: D1Database,
  notices: readonly OrderNotice[],
  upTo: number,
  now: number,
): Promise<void> {
  const inserts = notices.map(({ userId, kind, subject, title, text }) =>
    db
      .prepare(
        `INSERT INTO order_mails (user_id, kind, subject, text, at, state)
         SELECT ?1, ?2, ?3, ?4, ?5, CASE WHEN COUNT(*) < ${MAILS_A_DAY} THEN 'due' ELSE 'held' END
         FROM order_mails WHERE user_id = ?1 AND at > ?6 AND state <> 'held'
         ON CONFLICT DO NOTHING`,
      )
      .bind(userId, kind, subject, `${title}\n${text}`, now, now - DAY),
  )
  await db.batch([...inserts, db.prepare('UPDATE order_mail_position SET seq = MAX(seq, ?)').bind(upTo)])
}

/** Queues the mails of notices that are due, each once. */
export async function mailDueNotices(db: D1Database, now: number): Promise<void> {
  const { results } = await db
    .prepare(
      `SELECT user_id AS userId, kind, subject, text FROM order_mails WHERE state = 'due' ORDER BY at LIMIT ${MAILED}`,
    )
    .all<NoticeKey & { text: string }>()
  for (const { userId, kind, subject, text } of results) {
    await db.batch([
      db
        .prepare(
          `UPDATE order_mails SET state = 'mailed' WHERE user_id = ? AND kind = ? AND subject = ? AND state = 'due'`,
        )
        .bind(userId, kind, subject),
      insertNoticeMailStatement(db, 'order', { userId, about: text }, now, { ifChanged: true }),
    ])
  }
}

/** Queues one mail for each account of which something has waited for a day. */
export async function mailHeldNotices(db: D1Database, now: number): Promise<void> {
  const { results } = await db
    .prepare(
      `SELECT user_id AS userId, (SELECT language FROM users WHERE id = user_id) AS language
       FROM order_mails WHERE state = 'held'
       GROUP BY user_id HAVING MIN(at) <= ? LIMIT ${DIGESTS}`,
    )
    .bind(now - DAY)
    .all<{ userId: string; language: string | null }>()
  for (const { userId, language } of results) {
    const { orders } = await loadWordings(isLanguage(language) ? language : 'en')
    const held = await db
      .prepare(
        `SELECT text, COUNT(*) OVER () AS count FROM order_mails WHERE user_id = ? AND state = 'held' ORDER BY at LIMIT ${DIGEST_LINES}`,
      )
      .bind(userId)
      .all<{ text: string; count: number }>()
    const more = (held.results[0]?.count ?? 0) - held.results.length
    const lines = held.results.map(({ text }) => text.replaceAll('\n', ': '))
    const about = [orders.digest, ...lines, ...(more > 0 ? [orders.digestMore(more)] : [])].join('\n')
    await db.batch([
      db.prepare(`UPDATE order_mails SET state = 'mailed' WHERE user_id = ? AND state = 'held'`).bind(userId),
      insertNoticeMailStatement(db, 'order', { userId, about }, now, { ifChanged: true }),
    ])
  }
}

/** Deletes notices that no event can repeat any more. */
export async function sweepNotices(db: D1Database, now: number): Promise<void> {
  await db
    .prepare(
      `DELETE FROM order_mails WHERE rowid IN (
         SELECT rowid FROM order_mails WHERE state = 'mailed' AND at < ? LIMIT ${EVENTS})`,
    )
    .bind(now - KNOWN_MS)
    .run()
}
