import { useState } from 'preact/hooks'
import { parseMediaType } from '../../../contract/media-type.ts'
import { api, type Schemas } from '../../api/client.ts'
import { mediaTypeOf } from '../../core/media-type-of.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { texts } from '../../texts/index.ts'

/** The dialog for another media type, with what the name of the file says as a proposal. */
export function TypeDialog(props: { item: Schemas['Item']; onClose(): void; onChanged(item: Schemas['Item']): void }) {
  const { item } = props
  const byName = mediaTypeOf(item.name, item.mimetype)
  const [type, setType] = useState(item.mimetype)
  const wanted = parseMediaType(type.trim())
  return (
    <ActDialog
      title={texts.item.typeTitle(item.name)}
      act={texts.item.changeType}
      disabled={wanted === undefined || wanted === item.mimetype}
      onClose={props.onClose}
      onAct={async () => {
        if (wanted === undefined) return
        const params = { path: { id: item.id } }
        props.onChanged(await api.PATCH('/v0/item/{id}', { params, body: { mimetype: wanted } }))
      }}
    >
      <p class="quiet">{texts.item.typeMeans}</p>
      <Field
        label={texts.item.type}
        value={type}
        onValue={setType}
        mono
        help={texts.item.typeHelp}
        fault={wanted === undefined ? texts.item.typeBad : undefined}
      />
      {byName !== item.mimetype && byName !== type && (
        <p>
          <button type="button" class="btn plain" onClick={() => setType(byName)}>
            {texts.item.typeByName(byName)}
          </button>
        </p>
      )}
    </ActDialog>
  )
}
