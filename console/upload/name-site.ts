import { api } from '../api/client.ts'
import { orderOf } from './known-orders.ts'
import { changeOrder } from './share-orders.ts'

/**
 * Gives the site of an order, whose version is paid for, the address that was chosen with it. Nothing where none was, or
 * where that is done.
 * @throws {HooklineError} where it is refused
 */
export async function nameSite(order: string): Promise<void> {
  const site = orderOf(order)?.site
  if (!site?.added || site.id === undefined || site.address === undefined || site.addressUrl !== undefined) return
  const path = { id: site.id }
  const { addressUrl } = await api.PUT('/v0/site/{id}/address', { params: { path }, body: { address: site.address } })
  if (addressUrl === null) return
  changeOrder(order, (now) => ({ ...now, ...(now.site && { site: { ...now.site, addressUrl } }) }))
}
