import { api, type Schemas } from '../../api/client.ts'
import { isSite } from '../../core/is-site.ts'

/** Sites that are shown at first, and that each press of "more" adds. */
const SHOWN = 10
/** Most pages of items that are read for them. */
const MOST_PAGES = 10

/** Stored items that are sites, newest first, from page `from` of all items; the cursor is the next page. */
export async function findSites(name: string, from: number) {
  const items: Schemas['Item'][] = []
  let page = from
  let pages = from
  do {
    const query = { status: '200', sort: '-created', page, ...(name !== '' && { name }) } as const
    const found = await api.GET('/v0/item', { params: { query } })
    items.push(...found.items.filter(isSite))
    pages = found.pages ?? page
    page++
  } while (items.length < SHOWN && page <= pages && page < from + MOST_PAGES)
  return { items, cursor: page <= pages ? String(page) : undefined }
}
