import { signal } from '@preact/signals'
import type { Order } from '../core/order.ts'
import type { Sample } from '../core/upload-rate.ts'

/** An order with what only this tab has of it. */
export interface LiveOrder {
  order: Order
  /** Bytes that the service held, over the last seconds. */
  samples: readonly Sample[]
  /** Why nothing moves at the moment. */
  stopped: 'offline' | 'busy' | 'other_tab' | undefined
  /** When the network was gone, in ms; the last outage. */
  outage: { from: number; until: number | undefined; held: number } | undefined
  /** Files whose bytes this tab can't read until they are chosen again. */
  lost: readonly string[]
}

/** The orders that this browser knows, by id. */
export const orders = signal<ReadonlyMap<string, LiveOrder>>(new Map())

/** The order with this id as it is now. */
export function orderOf(id: string): Order | undefined {
  return orders.value.get(id)?.order
}

/** An order of which this tab has nothing yet. */
export function freshOrder(order: Order): LiveOrder {
  return { order, samples: [], stopped: undefined, outage: undefined, lost: [] }
}

export function removeOrder(id: string): void {
  const left = new Map(orders.value)
  left.delete(id)
  orders.value = left
}

export function putOrder(id: string, live: LiveOrder): void {
  orders.value = new Map(orders.value).set(id, live)
}

/** Changes what only this tab has of an order; `changeOrder` also keeps and tells what it changes. */
export function changeLive(id: string, to: (live: LiveOrder) => LiveOrder): void {
  const live = orders.value.get(id)
  if (live) putOrder(id, to(live))
}
