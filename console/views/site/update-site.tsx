import { useLocation } from 'preact-iso'
import type { StorageTarget } from '../../../protocol/chains.ts'
import { addFiles, sortOut } from '../../core/chosen-files.ts'
import type { SiteOfOrder } from '../../core/order.ts'
import { texts } from '../../texts/index.ts'
import { siteTexts } from '../../texts/sites.ts'
import { type Chosen, choose } from '../../upload/chosen.ts'
import { readDropped, readPicked } from '../../upload/read-dropped.ts'
import { DropArea, PickButton } from '../store/drop-zone.tsx'

/** The drop zone for the next version of a site, which is stored on the target of the current one. */
export function UpdateSite({ site, target }: { site: SiteOfOrder; target: StorageTarget | undefined }) {
  const { route } = useLocation()
  const take = (found: readonly Chosen[]) => {
    const { files, leftOut } = sortOut(found)
    choose(() => ({ files: addFiles([], files), leftOut, website: undefined, site, onlyStore: false, target }))
    route('/console/store')
  }
  return (
    <DropArea slim label={siteTexts.update} onDrop={(transfer) => void readDropped(transfer).then(take)}>
      {(over) => (
        <>
          <div class="stack">
            <h2>{over ? texts.store.dropNow : siteTexts.update}</h2>
            <p class="quiet">{siteTexts.updateLead}</p>
          </div>
          <PickButton folder onPick={(list) => take(readPicked(list))}>
            {texts.store.chooseFolder}
          </PickButton>
        </>
      )}
    </DropArea>
  )
}
