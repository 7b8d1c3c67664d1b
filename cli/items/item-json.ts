import type { Item } from '../../client/types.ts'
import type { Json } from '../run/outcome.ts'

/** The states as the command names them, and the numbers that the API filters by. */
export const STATUS: Record<string, string> = {
  uploading: '201',
  unpaid: '402',
  writing: '202',
  stored: '200',
  stopped: '409',
}

/** The word for an item's status. */
export function stateOf({ status }: Item): string {
  const number = status.slice(0, 3)
  return Object.entries(STATUS).find(([, value]) => value === number)?.[0] ?? status
}

/** An item as programs get it. */
export function itemJson(item: Item): Json {
  const {
    id,
    name,
    mimetype,
    blockchain,
    status,
    message,
    size,
    txids,
    cid,
    transactions,
    written,
    confirmed,
    createdAt,
  } = item
  return {
    id,
    name,
    mimetype,
    blockchain,
    state: stateOf(item),
    status,
    message: message ?? null,
    size,
    storedSize: item.storedSize ?? null,
    txids: txids ?? null,
    cid: cid ?? null,
    transactions: transactions ?? null,
    written,
    confirmed,
    createdAt,
    links: { content: item.links.content, web: item.links.web ?? null, site: item.links.site },
    embed: item.embed ?? null,
  }
}
