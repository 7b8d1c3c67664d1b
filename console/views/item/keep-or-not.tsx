import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { itemState } from '../../../client/item-state.ts'
import { api, type Schemas } from '../../api/client.ts'
import { useAct } from '../../hooks/use-act.tsx'
import { ActDialog } from '../../parts/dialog.tsx'
import { Section } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'

/** The sites that an item is a version of, and how it leaves the lists: hidden, or on IPFS taken down. */
export function KeepOrNot({ item, onChanged }: { item: Schemas['Item']; onChanged(item: Schemas['Item']): void }) {
  const { route } = useLocation()
  const [act, failed] = useAct()
  const [asking, setAsking] = useState(false)
  const params = { path: { id: item.id } }
  const sites = item.sites ?? []
  const canTakeDown = item.blockchain === 'IPFS' && itemState(item) === 'stored'
  const hide = () =>
    act(async () => onChanged(await api.PATCH('/v0/item/{id}', { params, body: { hidden: item.hidden !== true } })))
  return (
    <Section title={texts.lists.title}>
      {sites.map((site) => (
        <p key={site.id}>
          <a href={`/console/sites/${site.id}`}>{texts.lists.versionOf(site.version, site.name)}</a>{' '}
          <span class="quiet">{site.shown ? texts.lists.shown : texts.lists.notShown}</span>
        </p>
      ))}
      {failed}
      <p class="quiet">{item.hidden ? texts.lists.isHidden : texts.lists.hideMeans}</p>
      <p class="row after-small">
        <button type="button" class="btn" onClick={hide}>
          {item.hidden ? texts.lists.show : texts.lists.hide}
        </button>
        {canTakeDown && (
          <button type="button" class="btn plain" onClick={() => setAsking(true)}>
            {texts.lists.takeDown}
          </button>
        )}
      </p>
      {asking && (
        <ActDialog
          title={texts.lists.takeDownTitle(item.name)}
          act={texts.lists.takeDown}
          danger
          onClose={() => setAsking(false)}
          onAct={async () => {
            await api.POST('/v0/item/{id}/take-down', { params })
            route('/console/library')
          }}
        >
          <p>{texts.lists.takeDownText}</p>
        </ActDialog>
      )}
    </Section>
  )
}
