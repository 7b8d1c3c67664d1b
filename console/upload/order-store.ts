import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { Order } from '../core/order.ts'

/** Orders that a browser keeps of one account; the oldest that are done go first. */
const MAX_ORDERS = 50

interface Stored {
  order: Order
  /** By path, where the browser has handles: one press goes on after a reload. Never the bytes. */
  handles: Record<string, FileSystemHandle>
}

interface Schema extends DBSchema {
  orders: { key: string; value: Stored; indexes: { account: string } }
  settings: { key: string; value: unknown }
}

let opening: Promise<IDBPDatabase<Schema> | undefined> | undefined

/** A private window or a full disk may refuse a database: then orders live as long as their tab. */
function database(): Promise<IDBPDatabase<Schema> | undefined> {
  opening ??= openDB<Schema>('hookline-console', 1, {
    upgrade(db) {
      db.createObjectStore('orders', { keyPath: 'order.id' }).createIndex('account', 'order.account')
      db.createObjectStore('settings')
    },
  }).catch(() => undefined)
  return opening
}

export async function keepOrder(order: Order, handles: Record<string, FileSystemHandle>): Promise<void> {
  try {
    await (await database())?.put('orders', { order, handles })
  } catch {
    // Handles of some systems cannot be cloned; the order without them still helps.
    await (await database())?.put('orders', { order, handles: {} }).catch(() => undefined)
  }
}

/** The kept orders of an account, newest first. */
export async function keptOrders(account: string): Promise<Stored[]> {
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

/** Removes what is kept of an account, at log-out. */
export async function forgetAccount(account: string): Promise<void> {
  const db = await database()
  for (const key of (await db?.getAllKeysFromIndex('orders', 'account', account).catch(() => [])) ?? []) {
    await db?.delete('orders', key).catch(() => undefined)
  }
}

/** A setting of this browser; undefined where none is kept. */
export async function readSetting(name: string): Promise<unknown> {
  return (await database())?.get('settings', name).catch(() => undefined)
}

export async function writeSetting(name: string, value: unknown): Promise<void> {
  await (await database())?.put('settings', value, name).catch(() => undefined)
}
