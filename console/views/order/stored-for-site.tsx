import { useLocation } from 'preact-iso'
import { api } from '../../api/client.ts'
import type { SiteOfOrder } from '../../core/order.ts'
import { useAct } from '../../hooks/use-act.tsx'
import { Notice } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'

/** Offers to make a stored item a version of the site that it was stored for. */
export function StoredForSite({ site, item }: { site: SiteOfOrder; item: string }) {
  const { route } = useLocation()
  const [act, failed] = useAct()
  const deploy = () =>
    act(async () => {
      await api.POST('/v0/site/{id}/versions', { params: { path: { id: site.id } }, body: { item } })
      route(`/console/sites/${site.id}`)
    })
  return (
    <Notice>
      <p>{texts.sites.stored(site.name)}</p>
      {failed}
      <p class="after-small">
        <button type="button" class="btn primary" onClick={deploy}>
          {texts.sites.deployDo}
        </button>
      </p>
    </Notice>
  )
}
