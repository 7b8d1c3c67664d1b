import type { SiteOfOrder } from '../../core/order.ts'
import { Notice } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'
import { choose } from '../../upload/chosen.ts'

/** The notice that names the site of the chosen files. */
export function ForSite({ site }: { site: SiteOfOrder }) {
  return (
    <Notice>
      <p>{texts.store.forSite(site.name)}</p>
      <p class="after-small">
        <button type="button" class="btn plain" onClick={() => choose(() => ({ site: undefined }))}>
          {texts.store.notForSite}
        </button>
      </p>
    </Notice>
  )
}
