import type { Order, OrderFile } from '../core/order.ts'
import { claims } from '../session/access.ts'
import { changeLive, freshOrder, orderOf, orders, putOrder, removeOrder } from './known-orders.ts'
import { handlesOf, noteHandles } from './order-sources.ts'
import { dropOrder, storedOrders, storeOrder } from './order-store.ts'

/** Orders that this tab uploads. The others are only displayed, by messages of other tabs. */
const owned = new Set<string>()
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('hookline-orders') : undefined

channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (isGone(data)) removeOrder(data.gone)
  if (!isProgress(data) || owned.has(data.order.id)) return
  putOrder(data.order.id, {
    ...(orders.value.get(data.order.id) ?? freshOrder(data.order)),
    order: data.order,
    stopped: 'other_tab',
  })
})

/** Loads the stored orders after login. */
export async function loadOrders(): Promise<void> {
  const account = claims.value?.id
  if (account === undefined) return
  const kept = await storedOrders(account)
  const known = new Map(orders.value)
  for (const { order, handles } of kept) {
    if (known.has(order.id)) continue
    known.set(order.id, freshOrder(order))
    noteHandles(order.id, handles)
  }
  orders.value = known
}

/** Makes this tab the one that uploads the order. Returns a function that releases it and notifies the other tabs. */
export function ownOrder(id: string): () => void {
  owned.add(id)
  return () => {
    void shareOrder(id)
    owned.delete(id)
  }
}

/** Changes an order; the change is stored and sent to other tabs soon. */
export function changeOrder(id: string, to: (order: Order) => Order): void {
  changeLive(id, (live) => ({ ...live, order: to(live.order) }))
  shareSoon(id)
}

export function changeFile(id: string, path: string, fields: Partial<OrderFile>): void {
  changeOrder(id, (order) => ({
    ...order,
    files: order.files.map((file) => (file.path === path ? { ...file, ...fields } : file)),
  }))
}

const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** At most once a second, since a file of a thousand parts changes often. */
function shareSoon(id: string): void {
  if (timers.has(id)) return
  const share = () => {
    timers.delete(id)
    void shareOrder(id)
  }
  timers.set(id, setTimeout(share, 1000))
}

/** Deletes an order in every tab. */
export async function forgetOrder(id: string): Promise<void> {
  clearTimeout(timers.get(id))
  timers.delete(id)
  removeOrder(id)
  channel?.postMessage({ gone: id })
  await dropOrder(id)
}

/** Sends an order to the other tabs and stores it; resolves when that is done or has failed. */
export async function shareOrder(id: string): Promise<void> {
  const order = orderOf(id)
  if (!order) return
  channel?.postMessage({ kind: 'progress', order })
  await storeOrder(order, handlesOf(id))
}

function isGone(data: unknown): data is { gone: string } {
  return typeof data === 'object' && data !== null && 'gone' in data && typeof data.gone === 'string'
}

function isProgress(data: unknown): data is { order: Order } {
  return typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'progress' && 'order' in data
}
