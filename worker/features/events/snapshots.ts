import type { Config } from '../../platform/config/config.ts'
import { itemJson } from '../items/item-json.ts'
import { selectChangedItems } from '../items/sql/items.ts'
import { readPayment } from '../payments/read-payment.ts'
import { selectRequestFingerprints } from '../payments/sql/request-fingerprints.ts'
import { snapshotMessage } from './event-text.ts'

/** Items sent at a time; the next poll continues. */
const ITEMS_AT_A_TIME = 200
/** Payments sent at a time. */
const PAYMENTS_AT_A_TIME = 20
/** A change carries the time at which its work began: polls look back so far, in milliseconds. */
const LOOK_BACK = 30_000
/** Items whose last snapshot is remembered; of more, some are sent twice. */
const MAX_TOLD = 2_000

/** Snapshots of items and payments of a user, each time that they changed since the last one. */
export interface Snapshots {
  /** The messages for what changed; `touched` are addresses of requests that something happened to. */
  read(now: number, touched: readonly string[]): Promise<string[]>
}

/** Snapshots for a stream that begins at `start` (milliseconds); of items only without `money`. */
export function watchSnapshots(
  db: D1Database,
  config: Config,
  { userId, start, money }: { userId: string; start: number; money: boolean },
): Snapshots {
  let since = { updatedAt: start - LOOK_BACK, id: '' }
  const told = new Map<string, string>()
  let marks = new Map<string, string>()

  async function readItems(now: number): Promise<string[]> {
    const items = await selectChangedItems(db, userId, since, ITEMS_AT_A_TIME)
    const last = items.at(-1)
    const more = items.length === ITEMS_AT_A_TIME && last !== undefined
    since = more ? { updatedAt: last.updatedAt, id: last.id } : { updatedAt: now - LOOK_BACK, id: '' }
    return items.flatMap((item) => {
      const text = JSON.stringify(itemJson(item, config))
      if (told.get(item.id) === text) return []
      told.delete(item.id)
      told.set(item.id, text)
      if (told.size > MAX_TOLD) told.delete(told.keys().next().value ?? '')
      return snapshotMessage('item', now, text)
    })
  }

  async function readPayments(now: number, touched: readonly string[]): Promise<string[]> {
    const found = await selectRequestFingerprints(db, userId, PAYMENTS_AT_A_TIME)
    const changed = found.filter(({ address, mark }) => marks.get(address) !== mark).map(({ address }) => address)
    marks = new Map(found.map(({ address, mark }) => [address, mark]))
    const messages: string[] = []
    for (const address of [...new Set([...changed, ...touched])].slice(0, PAYMENTS_AT_A_TIME)) {
      messages.push(snapshotMessage('request', now, await readPayment(db, config, userId, address)))
    }
    return messages
  }

  return {
    read: async (now, touched) => [...(await readItems(now)), ...(money ? await readPayments(now, touched) : [])],
  }
}
