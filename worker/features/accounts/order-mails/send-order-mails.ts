import { selectPaidOrders } from '../../payments/sql/paid-orders.ts'
import { mailDueNotices, mailHeldNotices, recordNotices, selectNewEvents, sweepNotices } from '../sql/order-mails.ts'
import { describeEvent, itemsOf } from './describe-event.ts'

/** Queues mails about orders and withdrawals for accounts that want them. `now` in milliseconds. */
export async function sendOrderMails(db: D1Database, now: number): Promise<void> {
  const { events, upTo } = await selectNewEvents(db)
  if (upTo !== undefined) {
    const orders = await selectPaidOrders(db, [...new Set(events.flatMap(itemsOf))])
    const notices = events.flatMap((event) => describeEvent(event, orders) ?? [])
    await recordNotices(db, notices, upTo, now)
  }
  await mailDueNotices(db, now)
  await mailHeldNotices(db, now)
  await sweepNotices(db, now)
}
