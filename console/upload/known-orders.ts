import { signal } from '@preact/signals'
import type { Order } from '../core/order.ts'
import type { Sample } from '../core/upload-rate.ts'

/** An order, with state that only this tab has. */
export interface LiveOrder {
  order: Order
  /** Bytes received by the service over the last seconds. */
  samples: readonly Sample[]
  /** Bytes that have left and are not acknowledged yet. */
  underway: number
  /** Why the upload pauses. */
  stopped: 'offline' | 'busy' | 'other_tab' | undefined
  /** The last outage of the network, in ms. */
  outage: { from: number; until: number | undefined; held: number } | undefined
  /** Files that this tab cannot read until they are chosen again. */
  lost: readonly string[]
}

/** The orders that this browser knows, by id. */
export const orders = signal<ReadonlyMap<string, LiveOrder>>(new Map())

/** The order with this id as it is now. */
export function orderOf(id: string): Order | undefined {
  return orders.value.get(id)?.order
}

/** An order without any state of this tab. */
export function freshOrder(order: Order): LiveOrder {
  return { order, samples: [], underway: 0, stopped: undefined, outage: undefined, lost: [] }
}

export function removeOrder(id: string): void {
  const left = new Map(orders.value)
  left.delete(id)
  orders.value = left
}

export function putOrder(id: string, live: LiveOrder): void {
  orders.value = new Map(orders.value).set(id, live)
}

/** Changes the state of this tab; `changeOrder` also stores a change and sends it to other tabs. */
export function changeLive(id: string, to: (live: LiveOrder) => LiveOrder): void {
  const live = orders.value.get(id)
  if (live) putOrder(id, to(live))
}
