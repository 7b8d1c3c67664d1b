import { CHAINS, isBlockchain } from '../../../../protocol/chains.ts'
import type { QueuedEvent } from '../../../platform/records/event-queue.ts'
import type { PaidOrder } from '../../payments/sql/paid-orders.ts'
import type { OrderWordings } from '../mail-wordings/wording.ts'

/** What an account is mailed of an order or a withdrawal, once a kind. */
export interface OrderNotice {
  userId: string
  kind: 'paid' | 'stored' | 'failed' | 'withdrawn'
  /** The id of the request or the withdrawal. */
  subject: string
  /** The subject of the mail, and its text. */
  title: string
  text: string
}

/** Fields of an event of an order or a withdrawal that a mail says. */
interface Told {
  id?: string
  ids?: string[]
  amount?: number
  blockchain?: string
  paidIn?: string
  address?: string
  txid?: string
  name?: string
  message?: string
}

/** The items that an event is about. */
export function itemsOf(event: Pick<QueuedEvent, 'type' | 'subject' | 'data'>): string[] {
  if (event.type === 'item.stored' || event.type === 'item.stopped') return [event.subject]
  return event.type === 'request.settled' ? (dataOf(event).ids ?? []).slice(0, 1) : []
}

/** What is mailed of an event, where anything is: of an order of many items once all of them are stored. */
export function describeEvent(
  event: QueuedEvent,
  orders: ReadonlyMap<string, PaidOrder>,
  say: OrderWordings,
): OrderNotice | undefined {
  const { userId, type, subject } = event
  const told = dataOf(event)
  if (type === 'withdrawal.sent') {
    const notice = say.withdrawn(coins(told.amount, told.blockchain), told.address ?? '', told.txid ?? '')
    return { userId, kind: 'withdrawn', subject, ...notice }
  }
  const [item = ''] = itemsOf(event)
  const order = orders.get(item)
  if (!order) return undefined
  const what = order.items === 1 ? order.name : say.andMore(order.name, order.items - 1)
  const notice = { userId, subject: order.id }
  switch (type) {
    case 'request.settled':
      return { ...notice, kind: 'paid', ...say.paid(what, coins(told.amount, told.paidIn)) }
    case 'item.stored':
      if (order.stored < order.items) return undefined
      return { ...notice, kind: 'stored', ...say.stored(what) }
    case 'item.stopped':
      return { ...notice, kind: 'failed', ...say.stopped(told.name ?? order.name, told.message ?? '') }
    default:
      return undefined
  }
}

function dataOf({ data }: Pick<QueuedEvent, 'data'>): Told {
  const told: Told = JSON.parse(data)
  return told
}

function coins(amount = 0, blockchain = ''): string {
  return `${amount.toFixed(8)} ${isBlockchain(blockchain) ? CHAINS[blockchain].ticker : ''}`.trim()
}
