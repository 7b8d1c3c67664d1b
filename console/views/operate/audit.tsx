import { api } from '../../api/client.ts'
import { momentText } from '../../core/time-text.ts'
import { atCursor, useList } from '../../hooks/use-list.ts'
import { MoreButton } from '../../parts/more-button.tsx'
import { Page } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { TableHead } from '../../parts/table.tsx'
import { operateTexts } from '../../texts/operate.ts'

/** The audit log: actions of operators with their reasons. Entries are never removed. */
export default function Audit() {
  const audit = useList(readAudit, 'entries', 'id', [])
  const { auditHead: head } = operateTexts
  return (
    <Page title={operateTexts.auditTitle}>
      <Reading of={audit} />
      {audit.data && audit.rows.length === 0 && <p class="quiet">{operateTexts.noAudit}</p>}
      {audit.rows.length > 0 && (
        <table class="table">
          <TableHead columns={[head.when, head.what, head.who, head.why]} />
          <tbody>
            {audit.rows.map((entry) => (
              <tr key={entry.id}>
                <td class="quiet">{momentText(entry.at)}</td>
                <td class="full">
                  {entry.act} {entry.blockchain} {entry.subject && <code>{entry.subject}</code>}
                  {entry.unbacked && ` ${operateTexts.unbacked}`}
                </td>
                <td>
                  {entry.byEmail ?? entry.by}
                  {entry.account !== null && entry.account !== entry.by && (
                    <p class="quiet small">{operateTexts.about(entry.accountEmail ?? entry.account)}</p>
                  )}
                </td>
                <td class="full reason">{entry.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <MoreButton more={audit.more} />
    </Page>
  )
}

const readAudit = (cursor?: string) => api.GET('/v0/audit', { params: { query: atCursor(cursor) } })
