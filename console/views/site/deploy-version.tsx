import { useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { dayText } from '../../core/time-text.ts'
import { useList } from '../../hooks/use-list.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Reading } from '../../parts/reading.tsx'
import { texts } from '../../texts/index.ts'
import { siteTexts } from '../../texts/sites.ts'
import { findSites } from './find-sites.ts'

/** The dialog that chooses a stored item as a new version, which is a preview at first. */
export function DeployVersion(props: { site: string; onClose(): void; onDeployed(): void }) {
  const [item, setItem] = useState<string>()
  const [note, setNote] = useState('')
  const [name, setName] = useState('')
  const read = (from?: string) => findSites(name, from === undefined ? 1 : Number(from))
  const list = useList(read, 'items', 'id', [name])
  return (
    <ActDialog
      title={siteTexts.deploy}
      act={siteTexts.deployDo}
      disabled={item === undefined}
      onClose={props.onClose}
      onAct={async () => {
        if (item === undefined) return
        const body = { item, ...(note.trim() !== '' && { note: note.trim() }) }
        await api.POST('/v0/site/{id}/versions', { params: { path: { id: props.site } }, body })
        props.onDeployed()
      }}
    >
      <p class="quiet">{siteTexts.deployLead}</p>
      <Field label={texts.library.search} type="search" value={name} onValue={setName} />
      <Reading of={list} rows={3} />
      <fieldset class="choices">
        <legend>{siteTexts.chooseItem}</legend>
        {list.data && list.rows.length === 0 && <p class="quiet">{siteTexts.noneToDeploy}</p>}
        {list.rows.map((each) => (
          <label key={each.id} class="row nowrap-row">
            <span class="tick">
              <input type="radio" name="item" checked={item === each.id} onChange={() => setItem(each.id)} />
            </span>
            <span>
              {each.name}{' '}
              <span class="quiet">
                {each.files ? texts.library.files(each.files) : texts.kinds.page}, {dayText(each.createdAt)}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      <MoreButton more={list.more} />
      <Field label={siteTexts.note} help={texts.common.optional} value={note} onValue={setNote} />
    </ActDialog>
  )
}
