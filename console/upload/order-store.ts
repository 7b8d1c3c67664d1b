import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { Order } from '../core/order.ts'

/** Most orders of one account in a browser; the oldest finished ones are deleted first. */
const MAX_ORDERS = 50

interface Stored {
  order: Order
  /** By path, if the browser has handles, so that one press resumes after a reload. Never the bytes. */
  handles: Record<string, FileSystemHandle>
}

interface Schema extends DBSchema {
  orders: { key: string; value: Stored; indexes: { account: string } }
  settings: { key: string; value: unknown }
}

let opening: Promise<IDBPDatabase<Schema> | undefined> | undefined

/** A private window or a full disk may refuse a database; then orders last as long as their tab. */
function database(): Promise<IDBPDatabase<Schema> | undefined> {
  opening ??= openDB<Schema>('hookline-console', 1, {
    upgrade(db) {
      db.createObjectStore('orders', { keyPath: 'order.id' }).createIndex('account', 'order.account')
      db.createObjectStore('settings')
    },
  }).catch(() => undefined)
  return opening
}

export async function storeOrder(order: Order, handles: Record<string, FileSystemHandle>): Promise<void> {
  try {
    await (await database())?.put('orders', { order, handles })
  } catch {
    // Handles of some systems cannot be cloned; the order is stored without them.
    await (await database())?.put('orders', { order, handles: {} }).catch(() => undefined)
  }
}

/** The stored orders of an account, newest first. */
export async function storedOrders(account: string): Promise<Stored[]> {
  const db = await database()
  const all = (await db?.getAllFromIndex('orders', 'account', account).catch(() => [])) ?? []
  const sorted = all.sort((a, b) => b.order.createdAt - a.order.createdAt)
  for (const { order } of sorted.slice(MAX_ORDERS)) await db?.delete('orders', order.id).catch(() => undefined)
  return sorted.slice(0, MAX_ORDERS)
}

/** Removes one order. */
export async function dropOrder(id: string): Promise<void> {
  await (await database())?.delete('orders', id).catch(() => undefined)
}

/** Deletes what is stored for an account, at log-out. */
export async function forgetAccount(account: string): Promise<void> {
  const db = await database()
  for (const key of (await db?.getAllKeysFromIndex('orders', 'account', account).catch(() => [])) ?? []) {
    await db?.delete('orders', key).catch(() => undefined)
  }
}

/** A setting of this browser; undefined if not set. */
export async function readSetting(name: string): Promise<unknown> {
  return (await database())?.get('settings', name).catch(() => undefined)
}

export async function writeSetting(name: string, value: unknown): Promise<void> {
  await (await database())?.put('settings', value, name).catch(() => undefined)
}
