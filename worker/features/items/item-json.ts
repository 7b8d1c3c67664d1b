import type { Item } from '../../../contract/item.ts'
import { MAX_PATH_TXIDS } from '../../../contract/limits.ts'
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
    ...(item.partOf === null ? {} : { directory: item.partOf }),
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
    ...(item.hidden ? { hidden: true } : {}),
    ...(item.sites.length > 0 ? { sites: item.sites } : {}),
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
          ...(item.width && item.height ? { size: { width: item.width, height: item.height } } : {}),
        })
      : null,
  }
}

/** Where an item is read; they answer once it is `200 OK`. */
function itemLinks(
  item: PublishedItem,
  sources: readonly string[] | undefined,
  { baseUrl, storageHost }: Pick<Config, 'baseUrl' | 'storageHost'>,
) {
  return {
    content: new URL(`/v0/content/${item.id}`, baseUrl).href,
    web: webLink(item, sources, { baseUrl, storageHost }),
    site: `${baseUrl.protocol}//${item.id}.${storageHost}/`,
  }
}

/** Where an item is read by its txids or its CID, without a redirect; null where nothing is, or not yet. */
function webLink(
  { blockchain, directoryOf }: PublishedItem,
  sources: readonly string[] | undefined,
  { baseUrl, storageHost }: Pick<Config, 'baseUrl' | 'storageHost'>,
): string | null {
  if (!sources) return null
  const slash = directoryOf === null ? '' : '/'
  if (blockchain === 'IPFS') return `${baseUrl.protocol}//${storageHost}/ipfs/${sources.join('')}${slash}`
  // No path is read below more.
  if (slash && sources.length > MAX_PATH_TXIDS) return null
  const { href } = new URL(`/v0/web/${blockchain}/${sources.join(',')}${slash}`, baseUrl)
  return href.length <= MAX_LINK ? href : null
}
