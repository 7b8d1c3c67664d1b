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
import { operateTexts } from '../../texts/operate.ts'
import { short } from './reports.tsx'
import { WithdrawAddress } from './withdraw-address.tsx'

/** The content that is not served, with the reason. */
export default function Denylist() {
  const denied = useLoad(() => api.GET('/v0/denied', { params: { query: {} } }), [])
  const [adding, setAdding] = useState(false)
  const [withdrawing, setWithdrawing] = useState(false)
  const [allowing, setAllowing] = useState<{ kind: DeniedKind; value: string }>()
  const [kind, setKind] = useState<DeniedKind>('cid')
  const [value, setValue] = useState('')
  const [reason, setReason] = useState('')
  const list = denied.data?.denied ?? []
  const { denylistHead: head } = operateTexts
  return (
    <Page
      title={operateTexts.denylistTitle}
      lead={operateTexts.denyNote}
      acts={
        <>
          <button type="button" class="btn" onClick={() => setWithdrawing(true)}>
            {operateTexts.withdrawAddress}
          </button>
          <button type="button" class="btn" onClick={() => setAdding(true)}>
            {operateTexts.addDenied}
          </button>
        </>
      }
    >
      <Reading of={denied} />
      {denied.data && list.length === 0 && <p class="quiet">{operateTexts.noDenied}</p>}
      {list.length > 0 && (
        <table class="table">
          <TableHead columns={[head.name, head.why, { num: head.when }, { hidden: operateTexts.allow }]} />
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
                    {operateTexts.allow}
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {adding && (
        <ActDialog
          title={operateTexts.addDenied}
          act={operateTexts.deny}
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
            label={operateTexts.kind}
            value={kind}
            options={DENIED_KINDS.map((each) => ({ value: each, label: operateTexts.kinds[each] }))}
            onValue={setKind}
          />
          <Field
            label={operateTexts.value}
            help={kind === 'item' && operateTexts.deniedHelp}
            mono
            value={value}
            onValue={setValue}
          />
          <Field label={operateTexts.reason} help={operateTexts.reasonHelp} value={reason} onValue={setReason} />
        </ActDialog>
      )}
      {withdrawing && <WithdrawAddress onClose={() => setWithdrawing(false)} />}
      {allowing && (
        <ActDialog
          title={operateTexts.allowTitle}
          act={operateTexts.allow}
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
