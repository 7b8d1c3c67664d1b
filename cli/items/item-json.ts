import { itemState } from '../../client/item-state.ts'
import type { Item } from '../../client/types.ts'
import type { Json } from '../run/outcome.ts'

/** An item in the JSON output. */
export function itemJson(item: Item): Json {
  const { id, name, mimetype, blockchain, status, size, written, confirmed, createdAt } = item
  return {
    id,
    name,
    mimetype,
    blockchain,
    state: itemState(item),
    status,
    message: item.message ?? null,
    size,
    storedSize: item.storedSize ?? null,
    txids: item.txids ?? null,
    index: item.index ?? null,
    cid: item.cid ?? null,
    transactions: item.transactions ?? null,
    written,
    confirmed,
    createdAt,
    links: { content: item.links.content, web: item.links.web ?? null, site: item.links.site },
    embed: item.embed ?? null,
  }
}
