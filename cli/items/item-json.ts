import { itemState } from '../../client/item-state.ts'
import type { Item } from '../../client/types.ts'
import type { Json } from '../run/outcome.ts'

/** An item in the JSON output. */
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
    index,
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
    state: itemState(item),
    status,
    message: message ?? null,
    size,
    storedSize: item.storedSize ?? null,
    txids: txids ?? null,
    index: index ?? null,
    cid: cid ?? null,
    transactions: transactions ?? null,
    written,
    confirmed,
    createdAt,
    links: { content: item.links.content, web: item.links.web ?? null, site: item.links.site },
    embed: item.embed ?? null,
  }
}
