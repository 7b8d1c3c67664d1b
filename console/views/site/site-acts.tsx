import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, type Schemas } from '../../api/client.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { RenameDialog } from '../../parts/rename-dialog.tsx'
import { texts } from '../../texts/index.ts'
import { siteTexts } from '../../texts/sites.ts'

/** The actions for a site: rename and delete. */
export function SiteActs({ site, onRenamed }: { site: Schemas['Site']; onRenamed(site: Schemas['Site']): void }) {
  const { route } = useLocation()
  const [asking, setAsking] = useState<'rename' | 'delete'>()
  const close = () => setAsking(undefined)
  const params = { path: { id: site.id } }
  return (
    <div class="row tight">
      <button type="button" class="btn plain" onClick={() => setAsking('rename')}>
        {texts.rename.do}
      </button>
      <button type="button" class="btn plain" onClick={() => setAsking('delete')}>
        {siteTexts.delete}
      </button>
      {asking === 'rename' && (
        <RenameDialog
          name={site.name}
          onClose={close}
          onName={async (name) => onRenamed(await api.PATCH('/v0/site/{id}', { params, body: { name } }))}
        />
      )}
      {asking === 'delete' && (
        <ActDialog
          title={siteTexts.deleteTitle(site.name)}
          act={siteTexts.deleteDo}
          danger
          onClose={close}
          onAct={async () => {
            await api.DELETE('/v0/site/{id}', { params })
            route('/console/sites')
          }}
        >
          <p>{siteTexts.deleteText(site.host)}</p>
        </ActDialog>
      )}
    </div>
  )
}
