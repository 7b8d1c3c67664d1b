import { selectPaidOrders } from '../../payments/sql/paid-orders.ts'
import { loadWordings } from '../mail-wordings/load-wordings.ts'
import { mailDueNotices, mailHeldNotices, recordNotices, selectNewEvents, sweepNotices } from '../sql/order-mails.ts'
import { describeEvent, itemsOf, type OrderNotice } from './describe-event.ts'

/** Queues mails about orders and withdrawals for accounts that want them. `now` in milliseconds. */
export async function sendOrderMails(db: D1Database, now: number): Promise<void> {
  const { events, upTo } = await selectNewEvents(db)
  if (upTo !== undefined) {
    const orders = await selectPaidOrders(db, [...new Set(events.flatMap(itemsOf))])
    const notices: OrderNotice[] = []
    for (const { language, ...event } of events) {
      const notice = describeEvent(event, orders, (await loadWordings(language)).orders)
      if (notice) notices.push(notice)
    }
    await recordNotices(db, notices, upTo, now)
  }
  await mailDueNotices(db, now)
  await mailHeldNotices(db, now)
  await sweepNotices(db, now)
}
