import { useState } from 'preact/hooks'
import { api, type Schemas } from '../../api/client.ts'
import { durationText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useNow } from '../../hooks/use-now.ts'
import { Page } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { TableHead } from '../../parts/table.tsx'
import { texts } from '../../texts/index.ts'
import { operateTexts } from '../../texts/operate.ts'
import { WithReason } from './with-reason.tsx'

type Record = Schemas['FailedRecord']

/** The records that could not be processed, each with its reason and the possible actions. */
export default function FailedRecords() {
  const records = useLoad(() => api.GET('/v0/operate/failed-records', { params: { query: {} } }), [], ['item.stopped'])
  const now = useNow(10_000)
  const [asking, setAsking] = useState<{ record: Record; action: Record['actions'][number] }>()
  const list = records.data?.records ?? []
  const { failedRecordsHead: head } = operateTexts
  return (
    <Page title={texts.nav.failedRecords} lead={operateTexts.failedRecordsLead}>
      <Reading of={records} />
      {records.data && list.length === 0 && <p class="quiet">{operateTexts.noneAside}</p>}
      {list.length > 0 && (
        <table class="table">
          <TableHead columns={[head.what, head.why, { num: head.since }, { hidden: operateTexts.actions.retry }]} />
          <tbody>
            {list.map((record) => (
              <tr key={record.id}>
                <td class="full">
                  <strong>{record.subject}</strong>
                  <br />
                  <span class="small quiet">
                    {record.owner === null ? '' : `${record.owner}, `}
                    {record.blockchain}
                  </span>
                </td>
                <td class="full reason">{record.reason}</td>
                <td class="num">{durationText(now - record.since)}</td>
                <td class="num push">
                  <span class="row tight end">
                    {record.actions.map((action) => (
                      <button key={action} type="button" class="btn" onClick={() => setAsking({ record, action })}>
                        {operateTexts.actions[action]}
                      </button>
                    ))}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {asking && (
        <WithReason
          title={asking.record.subject}
          act={operateTexts.actions[asking.action]}
          onClose={() => setAsking(undefined)}
          onAct={async (reason) => {
            const path = { id: asking.record.id }
            await api.POST('/v0/operate/failed-records/{id}', {
              params: { path },
              body: { action: asking.action, reason },
            })
            records.reload()
          }}
        >
          <p>{asking.record.reason}</p>
        </WithReason>
      )}
    </Page>
  )
}
