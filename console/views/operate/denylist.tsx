import { useState } from 'preact/hooks'
import { DENIED_KINDS, type DeniedKind } from '../../../contract/states.ts'
import { api } from '../../api/client.ts'
import { dayText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Field, Segments } from '../../parts/field.tsx'
import { Page } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { TableHead } from '../../parts/table.tsx'
import { texts } from '../../texts/index.ts'
import { short } from './reports.tsx'

/** The content that is not served, with the reason. */
export default function Denylist() {
  const denied = useLoad(() => api.GET('/v0/denied', { params: { query: {} } }), [])
  const [adding, setAdding] = useState(false)
  const [allowing, setAllowing] = useState<{ kind: DeniedKind; value: string }>()
  const [kind, setKind] = useState<DeniedKind>('cid')
  const [value, setValue] = useState('')
  const [reason, setReason] = useState('')
  const list = denied.data?.denied ?? []
  const { denylistHead: head } = texts.operate
  return (
    <Page
      title={texts.operate.denylistTitle}
      lead={texts.operate.denyNote}
      acts={
        <button type="button" class="btn" onClick={() => setAdding(true)}>
          {texts.operate.addDenied}
        </button>
      }
    >
      <Reading of={denied} />
      {denied.data && list.length === 0 && <p class="quiet">{texts.operate.noDenied}</p>}
      {list.length > 0 && (
        <table class="table">
          <TableHead columns={[head.name, head.why, { num: head.when }, { hidden: texts.operate.allow }]} />
          <tbody>
            {list.map((entry) => (
              <tr key={entry.kind + entry.value}>
                <td class="full">
                  <code title={entry.value}>{short(entry.value)}</code>
                </td>
                <td class="full reason">{entry.reason}</td>
                <td class="num">{dayText(entry.updatedAt)}</td>
                <td class="num push">
                  <button type="button" class="btn" onClick={() => setAllowing(entry)}>
                    {texts.operate.allow}
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {adding && (
        <ActDialog
          title={texts.operate.addDenied}
          act={texts.operate.deny}
          danger
          disabled={value.trim() === '' || reason.trim() === ''}
          onClose={() => setAdding(false)}
          onAct={async () => {
            await api.PUT('/v0/denied', { body: { kind, value: value.trim(), reason: reason.trim() } })
            setValue('')
            setReason('')
            denied.reload()
          }}
        >
          <Segments<DeniedKind>
            label={texts.operate.kind}
            value={kind}
            options={DENIED_KINDS.map((each) => ({ value: each, label: texts.operate.kinds[each] }))}
            onValue={setKind}
          />
          <Field label={texts.operate.value} mono value={value} onValue={setValue} />
          <Field label={texts.operate.reason} help={texts.operate.reasonHelp} value={reason} onValue={setReason} />
        </ActDialog>
      )}
      {allowing && (
        <ActDialog
          title={texts.operate.allowTitle}
          act={texts.operate.allow}
          onClose={() => setAllowing(undefined)}
          onAct={async () => {
            await api.DELETE('/v0/denied', { body: { kind: allowing.kind, value: allowing.value } })
            denied.reload()
          }}
        >
          <p>
            <code>{allowing.value}</code>
          </p>
        </ActDialog>
      )}
    </Page>
  )
}
