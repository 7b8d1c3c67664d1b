import { itemState } from '../../client/item-state.ts'
import type { Item, Order as ServerOrder } from '../../client/types.ts'
import { isWhole, type Order, type OrderFile, type OrderItem } from './order.ts'

/** States of requests that are paid or may still be paid. */
const LIVE = new Set(['open', 'seen', 'settled'])

/**
 * An order as the service has it, with all its items.
 * @param held Bytes received of unfinished uploads, by id.
 * @param itemOf Converts an item for the order.
 */
export function orderOfItems(
  { id, blockchain, createdAt, payments }: ServerOrder,
  items: readonly Item[],
  held: ReadonlyMap<string, number>,
  itemOf: (item: Item, name: string) => OrderItem,
): Omit<Order, 'account'> {
  const isFile = ({ files }: Item) => typeof files !== 'number'
  const begun = (item: Item) => itemState(item) === 'uploading'
  const pathOf = ({ path, name }: Item) => (path ? `${path}/${name}` : name)
  const merged = items.some((item) => isFile(item) && item.folder && !begun(item))
  // Until something of a folder is merged, only the device where it was chosen knows its form.
  const website = items.every(isFile) ? (merged ? false : undefined) : true
  // A folder that becomes one item is paid as one, else each of its files is.
  const whole = isWhole({ blockchain, website })
  const paidFor = items.filter((item) => !begun(item) && (!whole || !isFile(item) || !item.folder))
  return {
    id,
    blockchain,
    createdAt,
    files: items.filter(isFile).map((item): OrderFile => {
      const { mimetype, size } = item
      const received = begun(item) && !item.merging ? (held.get(item.id) ?? 0) : size
      const state = received === size && (!begun(item) || item.merging || held.has(item.id)) ? 'uploaded' : 'waiting'
      return {
        path: pathOf(item),
        size,
        mimetype,
        lastModified: 0,
        state,
        id: item.id,
        held: received,
        problem: undefined,
      }
    }),
    items: paidFor.map((item) => itemOf(item, pathOf(item))),
    payments: payments.flatMap(({ address, state }) => (address && LIVE.has(state) ? [address] : [])).reverse(),
    paused: false,
    ...(blockchain !== 'IPFS' && { website }),
    folders: Object.fromEntries(items.flatMap(({ path, folder }) => (path && folder ? [[path, folder]] : []))),
  }
}

/** A stored order updated with the service's state: what arrived, and what another device added. */
export function withServerState(kept: Order, server: Omit<Order, 'account'>): Order {
  const byId = new Map(server.files.map((file) => [file.id, file]))
  // Of a file that was created and not recorded before the page ended, the service has the id.
  const byPath = new Map(server.files.map((file) => [`${file.size} ${file.path}`, file]))
  const own = kept.files.map((file) =>
    file.id === undefined && file.state !== 'removed'
      ? { ...file, id: byPath.get(`${file.size} ${file.path}`)?.id }
      : file,
  )
  const known = new Set(own.map(({ id }) => id))
  return {
    ...kept,
    files: [
      ...own.map((file) => {
        const there = byId.get(file.id)
        return there?.state === 'uploaded' ? { ...file, state: there.state, held: file.size, problem: undefined } : file
      }),
      ...server.files.filter(({ id }) => !known.has(id)),
    ],
    items: kept.items.length > 0 ? kept.items : server.items,
    payments: kept.payments.length > 0 ? kept.payments : server.payments,
    folders: { ...server.folders, ...kept.folders },
    website: kept.website ?? server.website,
  }
}
