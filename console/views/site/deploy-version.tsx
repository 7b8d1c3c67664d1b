import { useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/failed.tsx'
import { Field } from '../../parts/field.tsx'
import { texts } from '../../texts/index.ts'

/** Chooses which stored item becomes a new version; it starts as a preview. */
export function DeployVersion(props: { site: string; onClose(): void; onDeployed(): void }) {
  const [item, setItem] = useState<string>()
  const [note, setNote] = useState('')
  const [name, setName] = useState('')
  const items = useLoad(
    () => api.GET('/v0/item', { params: { query: { status: '200', sort: '-created', ...(name !== '' && { name }) } } }),
    [name],
  )
  return (
    <ActDialog
      title={texts.sites.deploy}
      act={texts.sites.deployDo}
      disabled={item === undefined}
      onClose={props.onClose}
      onAct={async () => {
        if (item === undefined) return
        const body = { item, ...(note.trim() !== '' && { note: note.trim() }) }
        await api.POST('/v0/site/{id}/versions', { params: { path: { id: props.site } }, body })
        props.onDeployed()
      }}
    >
      <p class="quiet">{texts.sites.deployLead}</p>
      <Field label={texts.library.search} type="search" value={name} onValue={setName} />
      {items.error && <Failed error={items.error} again={items.reload} />}
      <fieldset class="choices">
        <legend>{texts.sites.chooseItem}</legend>
        {(items.data?.items ?? []).slice(0, 10).map((each) => (
          <label key={each.id} class="row nowrap-row">
            <span class="tick">
              <input type="radio" name="item" checked={item === each.id} onChange={() => setItem(each.id)} />
            </span>
            <span>
              {each.name} <span class="quiet">{each.files ? texts.library.files(each.files) : each.mimetype}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field label={texts.sites.note} help={texts.common.optional} value={note} onValue={setNote} />
    </ActDialog>
  )
}
