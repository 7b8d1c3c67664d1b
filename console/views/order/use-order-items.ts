import { useEffect } from 'preact/hooks'
import { api, call, type Schemas } from '../../api/client.ts'
import { inGroups, type Order, type OrderItem } from '../../core/order.ts'
import { askAgain, onEvent } from '../../events/feed.ts'
import { orderItemOf } from '../../upload/prepare-order.ts'
import { changeOrder } from '../../upload/share-orders.ts'

/** Items that are asked for one by one in one go; the stream tells of all the others. */
const MAX_ASKED = 48
const AT_ONCE = 6

/** Keeps what an order knows of its items current: by the stream, and by asking where there is none. */
export function useOrderItems(order: Order | undefined): void {
  const id = order?.id
  const count = order?.items.length ?? 0
  useEffect(() => {
    if (id === undefined || count === 0) return
    let turn = 0
    let over = false
    const put = (fields: Partial<OrderItem> & { id: string }) =>
      changeOrder(id, (now) => ({
        ...now,
        items: now.items.map((item) => (item.id === fields.id ? { ...item, ...fields } : item)),
      }))
    const ask = async () => {
      const open = (order?.items ?? []).filter(({ status }) => status !== 200 && status !== 422)
      const first = open.length === 0 ? 0 : (turn * MAX_ASKED) % open.length
      turn++
      for (const group of inGroups(open.slice(first, first + MAX_ASKED), AT_ONCE)) {
        const found = await Promise.all(
          group.map((item) =>
            call(api.GET('/v0/item/{id}', { params: { path: { id: item.id } } })).catch(() => undefined),
          ),
        )
        if (over) return
        for (const item of found) if (item) put(withoutName(item))
      }
    }
    const stopEvents = onEvent(({ type, data }) => {
      if (typeof data.id !== 'string') return
      if (type === 'item' && isItem(data)) put(withoutName(data))
      if (type === 'item.progress')
        put({ id: data.id, written: Number(data.written), confirmed: Number(data.confirmed), status: 202 })
      if (type === 'item.stored' || type === 'item.stopped') void ask()
    })
    const stopAsking = askAgain.subscribe(() => void ask())
    return () => {
      over = true
      stopEvents()
      stopAsking()
    }
  }, [id, count])
}

function withoutName(item: Schemas['Item']): Partial<OrderItem> & { id: string } {
  const { name: _, ...fields } = orderItemOf(item)
  return fields
}

function isItem(data: Record<string, unknown>): data is Schemas['Item'] {
  return typeof data.id === 'string' && typeof data.status === 'string' && typeof data.written === 'number'
}
