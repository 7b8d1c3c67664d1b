import { useEffect } from 'preact/hooks'
import type { SiteOfOrder } from '../../core/order.ts'
import { useTask } from '../../hooks/use-task.ts'
import { Failed } from '../../parts/failed.tsx'
import { Notice } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'
import { nameSite } from '../../upload/name-site.ts'

/** Gives the site of a paid order the address that was chosen with it, and says how that went. */
export function AddressOfOrder({ order, site }: { order: string; site: SiteOfOrder }) {
  const { error, run } = useTask()
  const { added, address, addressUrl } = site
  useEffect(() => {
    if (added && address !== undefined && addressUrl === undefined) void run(() => nameSite(order))
  }, [order, added, address, addressUrl])
  if (address === undefined || !added) return null
  if (addressUrl !== undefined) {
    return (
      <Notice>
        <p>
          {texts.addresses.isSet(site.name)}{' '}
          <a href={addressUrl} target="_blank" rel="noreferrer">
            {new URL(addressUrl).host}
          </a>
        </p>
      </Notice>
    )
  }
  return (
    error && (
      <Notice kind="warn">
        <p>{texts.addresses.notSet(address)}</p>
        <Failed error={error} again={() => run(() => nameSite(order))} />
        <p>
          <a href={`/console/sites/${site.id}`}>{texts.addresses.another}</a>
        </p>
      </Notice>
    )
  )
}
