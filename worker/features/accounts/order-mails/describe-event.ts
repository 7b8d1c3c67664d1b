import { CHAINS, isBlockchain } from '../../../../protocol/chains.ts'
import type { QueuedEvent } from '../../../platform/records/event-queue.ts'
import type { PaidOrder } from '../../payments/sql/paid-orders.ts'

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
export function describeEvent(event: QueuedEvent, orders: ReadonlyMap<string, PaidOrder>): OrderNotice | undefined {
  const { userId, type, subject } = event
  const told = dataOf(event)
  if (type === 'withdrawal.sent') {
    const text = `${coins(told.amount, told.blockchain)} left to ${told.address ?? ''}.\nTransaction: ${told.txid ?? ''}`
    return { userId, kind: 'withdrawn', subject, title: 'Your withdrawal was sent', text }
  }
  const [item = ''] = itemsOf(event)
  const order = orders.get(item)
  if (!order) return undefined
  const what = order.items === 1 ? order.name : `${order.name} and ${order.items - 1} more`
  const notice = { userId, subject: order.id }
  switch (type) {
    case 'request.settled': {
      const text = `${what}: ${coins(told.amount, told.paidIn)} is paid. It is written now.`
      return { ...notice, kind: 'paid', title: 'Your order is paid', text }
    }
    case 'item.stored':
      if (order.stored < order.items) return undefined
      return { ...notice, kind: 'stored', title: 'Your order is stored', text: `${what}: all of it is stored.` }
    case 'item.stopped': {
      const text = `${told.name ?? order.name} is not written further. ${told.message ?? ''}`.trim()
      return { ...notice, kind: 'failed', title: 'Your order has stopped', text }
    }
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
