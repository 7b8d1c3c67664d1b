import { useEffect, useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { REPORT_LIMITS } from '../../../contract/limits.ts'
import { REPORT_STATUSES } from '../../../contract/states.ts'
import { api, type Schemas } from '../../api/client.ts'
import { groupDigits } from '../../core/size-text.ts'
import { durationText } from '../../core/time-text.ts'
import { atCursor, useList } from '../../hooks/use-list.ts'
import { useNow } from '../../hooks/use-now.ts'
import { withOrWithout } from '../../parts/field.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Icon } from '../../parts/icon.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Page } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Tick } from '../../parts/table.tsx'
import { texts } from '../../texts/index.ts'
import { operateTexts } from '../../texts/operate.ts'
import { WithReason } from './with-reason.tsx'
import { WithdrawAddress } from './withdraw-address.tsx'

/** Most reports that one request dismisses. */
const { dismissed: MOST_AT_ONCE } = REPORT_LIMITS

/** Reported content, which an operator denies or dismisses. */
export default function Reports() {
  const { query } = useRoute()
  const status = REPORT_STATUSES.find((each) => each === query.status) ?? 'open'
  const read = (cursor?: string) => api.GET('/v0/report', { params: { query: { status, ...atCursor(cursor) } } })
  const reports = useList(read, 'reports', 'id', [status])
  const { rows: list, more, restart } = reports
  const open = status === 'open'
  const now = useNow(10_000)
  const [asking, setAsking] = useState<{ report: Schemas['Report']; to: 'denied' | 'dismissed' }>()
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [withdrawing, setWithdrawing] = useState<string>()
  const [dismissing, setDismissing] = useState(false)
  useEffect(() => setPicked(new Set()), [status])
  const all = list.length > 0 && list.slice(0, MOST_AT_ONCE).every(({ id }) => picked.has(id))
  const pick = (id: string, on: boolean) => setPicked(withOrWithout(picked, id, on))
  const { reportHead: head } = operateTexts
  return (
    <Page title={operateTexts.reportsTitle} lead={operateTexts.denyNote}>
      <Filters
        label={operateTexts.reportsTitle}
        values={REPORT_STATUSES}
        value={status}
        path="/console/operate/reports"
        textOf={(each) => operateTexts.reportStates[each]}
      />
      <Reading of={reports} again={restart} />
      {reports.data && list.length === 0 && <p class="quiet after">{operateTexts.noReports}</p>}
      {list.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              {open && (
                <th class="tick-cell">
                  <Tick
                    label={operateTexts.pickAll}
                    checked={all}
                    onChange={() =>
                      setPicked(all ? new Set() : new Set(list.slice(0, MOST_AT_ONCE).map(({ id }) => id)))
                    }
                  />
                </th>
              )}
              <th>{head.reported}</th>
              <th>{head.why}</th>
              <th class="num">{head.count}</th>
              <th class="num">{head.oldest}</th>
              <th>
                <span class="vh">{operateTexts.deny}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map((report) => (
              <tr key={report.id} class={picked.has(report.id) ? 'selected' : undefined}>
                {open && (
                  <td>
                    <Tick
                      label={texts.library.select(short(report.value))}
                      checked={picked.has(report.id)}
                      disabled={!picked.has(report.id) && picked.size >= MOST_AT_ONCE}
                      onChange={(on) => pick(report.id, on)}
                    />
                  </td>
                )}
                <td class={open ? 'grow' : 'full'}>
                  <code title={report.value}>{short(report.value)}</code>{' '}
                  {report.address && <span>{report.address}</span>}
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
                        {operateTexts.look}
                      </a>
                    )}
                    {report.address && (
                      <button type="button" class="btn" onClick={() => setWithdrawing(report.address ?? undefined)}>
                        {operateTexts.withdrawAddress}
                      </button>
                    )}
                    {open && (
                      <>
                        <button type="button" class="btn" onClick={() => setAsking({ report, to: 'dismissed' })}>
                          {operateTexts.dismiss}
                        </button>
                        <button type="button" class="btn danger" onClick={() => setAsking({ report, to: 'denied' })}>
                          {operateTexts.deny}
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
      <MoreButton more={more} />
      {picked.size > 0 && (
        <section class="bulk" aria-label={texts.library.selection}>
          <p class="bulk-what">
            <strong>{texts.library.selected(picked.size)}</strong>
          </p>
          <span class="row tight bulk-acts">
            <button type="button" class="btn primary" onClick={() => setDismissing(true)}>
              {operateTexts.dismissMany(picked.size)}
            </button>
            <button
              type="button"
              class="btn icon"
              aria-label={texts.library.clear}
              onClick={() => setPicked(new Set())}
            >
              <Icon name="cross" />
            </button>
          </span>
        </section>
      )}
      {dismissing && (
        <WithReason
          title={operateTexts.dismissTitle}
          act={operateTexts.dismissMany(picked.size)}
          onClose={() => setDismissing(false)}
          onAct={async (reason) => {
            await api.PUT('/v0/report', { body: { status: 'dismissed', ids: [...picked], reason } })
            setPicked(new Set())
            restart()
          }}
        >
          <p>{operateTexts.dismissText}</p>
        </WithReason>
      )}
      {withdrawing !== undefined && (
        <WithdrawAddress address={withdrawing} onClose={() => setWithdrawing(undefined)} onDone={restart} />
      )}
      {asking && (
        <WithReason
          title={asking.to === 'denied' ? operateTexts.denyTitle : operateTexts.dismissTitle}
          act={asking.to === 'denied' ? operateTexts.deny : operateTexts.dismiss}
          danger={asking.to === 'denied'}
          onClose={() => setAsking(undefined)}
          onAct={async (reason) => {
            const path = { id: asking.report.id }
            await api.PUT('/v0/report/{id}', { params: { path }, body: { status: asking.to, reason } })
            pick(asking.report.id, false)
            restart()
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
