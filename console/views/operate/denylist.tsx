import { useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { dayText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/failed.tsx'
import { Field, Segments } from '../../parts/field.tsx'
import { Page, WaitingRows } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'
import { short } from './reports.tsx'

const KINDS = ['txid', 'cid', 'item'] as const
type Kind = (typeof KINDS)[number]

/** What is not served, and why. */
export default function Denylist() {
  const denied = useLoad(() => api.GET('/v0/denied', { params: { query: {} } }), [])
  const [adding, setAdding] = useState(false)
  const [allowing, setAllowing] = useState<{ kind: Kind; value: string }>()
  const [kind, setKind] = useState<Kind>('cid')
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
      {denied.error && <Failed error={denied.error} again={denied.reload} />}
      {denied.waiting && !denied.data && <WaitingRows />}
      {denied.data && list.length === 0 && <p class="quiet">{texts.operate.noDenied}</p>}
      {list.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th>{head.name}</th>
              <th>{head.why}</th>
              <th class="num">{head.when}</th>
              <th>
                <span class="vh">{texts.operate.allow}</span>
              </th>
            </tr>
          </thead>
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
          <Segments<Kind>
            label={texts.operate.kind}
            value={kind}
            options={KINDS.map((each) => ({ value: each, label: texts.operate.kinds[each] }))}
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
