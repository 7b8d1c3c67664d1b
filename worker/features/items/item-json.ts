import type { Item } from '../../../contract/item.ts'
import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { embedSnippet } from './embed-snippet.ts'
import { hasIndex } from './indexed-content.ts'
import { statusText } from './sql/item-state.ts'
import type { PublishedItem } from './sql/items.ts'

/** The longest `links.web` that is returned: servers and proxies refuse request lines over 8,000 bytes (RFC 9112, 3). */
const MAX_LINK = 8000

/** The message of an item while it is merged, which has no percentage. */
const MERGING = 'The upload is complete. It is being merged.'

/** An item as the API answers it (docs/behaviour/items.md); `createdAt` in Unix seconds, sizes in bytes. */
export function itemJson(item: PublishedItem, config: Pick<Config, 'baseUrl' | 'storageHost'>): Item {
  const stored = item.state === 'stored'
  const sources = !stored ? undefined : item.blockchain === 'IPFS' ? (item.cid ? [item.cid] : undefined) : item.txids
  const { name, mimetype, blockchain } = item
  const indexed = hasIndex(item)
  const index = indexed && stored ? item.indexTxid : null
  const named = index === null ? sources : [index]
  return {
    id: item.id,
    name,
    mimetype,
    blockchain,
    folder: item.folderId,
    path: item.path,
    files: item.directoryOf ? item.files : null,
    status: statusText(item.state),
    message: item.message ?? (item.state === 'merging' ? MERGING : null),
    ...(item.state === 'merging' ? { merging: true } : {}),
    size: item.size,
    storedSize: item.storedSize,
    // Left out, not null, until every transaction is confirmed.
    ...(stored && item.txids ? { txids: item.txids } : {}),
    ...(indexed ? { index } : {}),
    cid: item.cid,
    transactions: item.transactions === null ? null : item.transactions + Number(indexed),
    written: item.written + Number(index !== null),
    confirmed: item.confirmed + Number(index !== null),
    createdAt: unixSeconds(item.createdAt),
    links: itemLinks(item, named, config),
    // A directory is shown by its page.
    embed: named
      ? embedSnippet({
          baseUrl: config.baseUrl,
          blockchain,
          sources: named,
          mimetype: item.directoryOf ? 'text/html' : mimetype,
          name,
        })
      : null,
  }
}

/** Where an item is read; they answer once it is `200 OK`. `web` is null where there is no such address yet. */
function itemLinks(
  item: PublishedItem,
  sources: readonly string[] | undefined,
  config: Pick<Config, 'baseUrl' | 'storageHost'>,
) {
  const { protocol } = config.baseUrl
  const web =
    item.blockchain === 'IPFS'
      ? item.cid && `${protocol}//${config.storageHost}/ipfs/${item.cid}`
      : sources &&
        new URL(
          `/v0/web/${item.blockchain}/${sources.join(',')}${item.directoryOf === null ? '' : '/'}`,
          config.baseUrl,
        ).href
  return {
    content: new URL(`/v0/content/${item.id}`, config.baseUrl).href,
    web: web && web.length <= MAX_LINK ? web : null,
    site: `${protocol}//${item.id}.${config.storageHost}/`,
  }
}
