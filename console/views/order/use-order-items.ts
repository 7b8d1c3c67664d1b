import { useEffect } from 'preact/hooks'
import { MAX_LISTED_ITEMS } from '../../../contract/limits.ts'
import { inGroups } from '../../../reader/in-groups.ts'
import { api, type Schemas } from '../../api/client.ts'
import type { Order, OrderItem } from '../../core/order.ts'
import { onEvent, refreshCount } from '../../events/feed.ts'
import { orderOf } from '../../upload/known-orders.ts'
import { orderItemOf } from '../../upload/order-item.ts'
import { changeOrder } from '../../upload/share-orders.ts'

/** Milliseconds between two lists of one poll: the largest order has a hundred of them. */
const APART_MS = 250

/** The changed fields of an item. */
type News = Partial<OrderItem> & { id: string }

/** Updates the items of an order: by events, and by polling those whose events may have been missed. */
export function useOrderItems(order: Order | undefined): void {
  const id = order?.id
  const known = (order?.items.length ?? 0) > 0
  useEffect(() => {
    if (id === undefined || !known) return
    let over = false
    let asking = false
    let waiting = new Map<string, News>()
    const put = (news: News) => {
      // The stream may send events of hundreds of items at once; the order is read again once for all of them.
      if (waiting.size === 0) queueMicrotask(putAll)
      waiting.set(news.id, { ...waiting.get(news.id), ...news })
    }
    const putAll = () => {
      const news = waiting
      waiting = new Map()
      if (over || !orderOf(id)?.items.some((item) => news.has(item.id))) return
      changeOrder(id, (now) => ({ ...now, items: now.items.map((item) => ({ ...item, ...news.get(item.id) })) }))
    }
    // A merge returns the state of each item, and does not change an item that is merged already.
    const ask = async () => {
      if (asking) return
      asking = true
      const open =
        orderOf(id)?.items.filter(({ state }) => state !== 'stored' && state !== 'refused' && state !== 'uploading') ??
        []
      for (const items of inGroups(
        open.map((item) => item.id),
        MAX_LISTED_ITEMS,
      )) {
        const answer = await api.POST('/v0/item/merge', { body: { items } }).catch(() => undefined)
        if (over || !answer) break
        for (const { item } of answer.items) if (item) put(withoutName(item))
        if (open.length > MAX_LISTED_ITEMS) await new Promise((resolve) => setTimeout(resolve, APART_MS))
      }
      asking = false
    }
    const stopEvents = onEvent(({ type, data }) => {
      if (typeof data.id !== 'string') return
      if (type === 'item' && isItem(data)) put(withoutName(data))
      if (type === 'item.progress')
        put({ id: data.id, written: Number(data.written), confirmed: Number(data.confirmed), state: 'writing' })
      if (type === 'item.stored') put({ id: data.id, state: 'stored' })
      if (type === 'item.stopped')
        put({ id: data.id, state: 'stopped', message: typeof data.message === 'string' ? data.message : undefined })
    })
    const stopAsking = refreshCount.subscribe(() => void ask())
    return () => {
      over = true
      stopEvents()
      stopAsking()
    }
  }, [id, known])
}

function withoutName(item: Schemas['Item']): News {
  const { name: _, ...fields } = orderItemOf(item)
  return fields
}

function isItem(data: Record<string, unknown>): data is Schemas['Item'] {
  return typeof data.id === 'string' && typeof data.status === 'string' && typeof data.written === 'number'
}
