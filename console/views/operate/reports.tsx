import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { api, type Schemas } from '../../api/client.ts'
import { groupDigits } from '../../core/size-text.ts'
import { durationText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useNow } from '../../hooks/use-now.ts'
import { Failed } from '../../parts/failed.tsx'
import { Page, WaitingRows } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'
import { WithReason } from './with-reason.tsx'

const STATUSES = ['open', 'denied', 'dismissed'] as const

/** What people reported, to be denied or dismissed. */
export default function Reports() {
  const { query } = useRoute()
  const status = STATUSES.find((each) => each === query.status) ?? 'open'
  const reports = useLoad(() => api.GET('/v0/report', { params: { query: { status } } }), [status])
  const now = useNow(10_000)
  const [asking, setAsking] = useState<{ report: Schemas['Report']; to: 'denied' | 'dismissed' }>()
  const list = reports.data?.reports ?? []
  const { reportHead: head } = texts.operate
  return (
    <Page title={texts.operate.reportsTitle} lead={texts.operate.denyNote}>
      <nav class="filters" aria-label={texts.operate.reportsTitle}>
        {STATUSES.map((each) => (
          <a
            key={each}
            href={`/console/operate/reports?status=${each}`}
            aria-current={each === status ? 'true' : undefined}
          >
            {texts.operate.reportStates[each]}
          </a>
        ))}
      </nav>
      {reports.error && <Failed error={reports.error} again={reports.reload} />}
      {reports.waiting && !reports.data && <WaitingRows />}
      {reports.data && list.length === 0 && <p class="quiet after">{texts.operate.noReports}</p>}
      {list.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th>{head.reported}</th>
              <th>{head.why}</th>
              <th class="num">{head.count}</th>
              <th class="num">{head.oldest}</th>
              <th>
                <span class="vh">{texts.operate.deny}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map((report) => (
              <tr key={report.id}>
                <td class="full">
                  <code title={report.value}>{short(report.value)}</code>
                </td>
                <td class="full reason">
                  {report.reason} {report.evidence && <span class="quiet small">{report.evidence}</span>}
                </td>
                <td class="num" data-l={head.count}>
                  {groupDigits(report.reports)}
                </td>
                <td class="num">{durationText(now - report.oldest)}</td>
                <td class="num push">
                  <span class="row tight end">
                    {report.url && (
                      <a class="btn" href={report.url} target="_blank" rel="noreferrer">
                        {texts.operate.look}
                      </a>
                    )}
                    {status === 'open' && (
                      <>
                        <button type="button" class="btn" onClick={() => setAsking({ report, to: 'dismissed' })}>
                          {texts.operate.dismiss}
                        </button>
                        <button type="button" class="btn danger" onClick={() => setAsking({ report, to: 'denied' })}>
                          {texts.operate.deny}
                        </button>
                      </>
                    )}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {asking && (
        <WithReason
          title={asking.to === 'denied' ? texts.operate.denyTitle : texts.operate.dismissTitle}
          act={asking.to === 'denied' ? texts.operate.deny : texts.operate.dismiss}
          danger={asking.to === 'denied'}
          onClose={() => setAsking(undefined)}
          onAct={async (reason) => {
            const path = { id: asking.report.id }
            await api.PUT('/v0/report/{id}', { params: { path }, body: { status: asking.to, reason } })
            reports.reload()
          }}
        >
          <p>
            <code>{asking.report.value}</code>
          </p>
        </WithReason>
      )}
    </Page>
  )
}

export function short(name: string): string {
  return name.length <= 24 ? name : `${name.slice(0, 12)}…${name.slice(-6)}`
}
