import { api } from '../api/client.ts'
import type { SiteOfOrder } from '../core/order.ts'
import { orderOf } from './known-orders.ts'
import { changeOrder } from './share-orders.ts'

/**
 * Makes what an order merged the next version of its site, or the first of a new one: the site shows it once it is stored, also
 * if this tab is closed by then. One that is to be tried first is added once it is stored, and not shown. Nothing for an
 * order without a site.
 * @throws {HooklineError}
 */
export async function addToSite(id: string): Promise<void> {
  const order = orderOf(id)
  const merged = order?.items.filter(({ state }) => state !== 'refused') ?? []
  const [item] = merged
  if (!order?.site || order.site.added || !item || merged.some(({ state }) => state === 'uploading')) return
  if (order.site.tryFirst && item.state !== 'stored') return
  const site = await addVersion(order.site, item.id)
  changeOrder(id, (now) => ({ ...now, site: { ...site, added: true } }))
}

async function addVersion(site: SiteOfOrder, item: string): Promise<SiteOfOrder> {
  const { id, name, tryFirst = false } = site
  const version = { item, ...(!tryFirst && { current: 'when_stored' as const }) }
  if (id === undefined) {
    // The same key in another tab, or after an answer that was lost, makes no second site.
    const header = { 'Idempotency-Key': `site-of-${item}` }
    const made = await api.POST('/v0/site', { params: { header }, body: { name, ...version } })
    return { ...site, id: made.id }
  }
  // An item that is a version already stays that version.
  await api.POST('/v0/site/{id}/versions', { params: { path: { id } }, body: version })
  return site
}
