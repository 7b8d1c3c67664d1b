import { api } from '../api/client.ts'
import { orderOf } from './known-orders.ts'
import { changeOrder } from './share-orders.ts'

/**
 * Makes what an order merged the next version of its site, or the first of a new one: the site shows it once it is stored, also
 * if this tab is closed by then. Nothing for an order without a site. Where it fails, the finished order offers it again.
 */
export async function addToSite(id: string): Promise<void> {
  const order = orderOf(id)
  const merged = order?.items.filter(({ state }) => state !== 'refused') ?? []
  const [item] = merged
  if (!order?.site || order.site.added || !item || merged.some(({ state }) => state === 'uploading')) return
  const { id: known, name } = order.site
  const version = { item: item.id, current: 'when_stored' } as const
  try {
    const site = known ?? (await api.POST('/v0/site', { body: { name, ...version } })).id
    if (known !== undefined)
      await api.POST('/v0/site/{id}/versions', { params: { path: { id: known } }, body: version })
    changeOrder(id, (now) => ({ ...now, site: { id: site, name, added: true } }))
  } catch {
    // The order goes on: it is paid and stored all the same.
  }
}
