import { useState } from 'preact/hooks'
import { api, call, type Schemas } from '../../api/client.ts'
import { momentText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { Failed } from '../../parts/failed.tsx'
import { Page, WaitingRows } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'

/** What was done, by whom and why; nothing is ever taken out of it. */
export default function Audit() {
  const first = useLoad(() => call(api.GET('/v0/audit', { params: { query: {} } })), [])
  const [more, setMore] = useState<{ entries: Schemas['AuditEntry'][]; cursor: string | undefined }>()
  const cursor = more ? more.cursor : first.data?.cursor
  const list = [...(first.data?.entries ?? []), ...(more?.entries ?? [])]
  const { auditHead: head } = texts.operate
  const showMore = async () => {
    if (cursor === undefined) return
    const next = await call(api.GET('/v0/audit', { params: { query: { cursor } } }))
    setMore({ entries: [...(more?.entries ?? []), ...next.entries], cursor: next.cursor })
  }
  return (
    <Page title={texts.operate.auditTitle}>
      {first.error && <Failed error={first.error} again={first.reload} />}
      {first.waiting && !first.data && <WaitingRows />}
      {first.data && list.length === 0 && <p class="quiet">{texts.operate.noAudit}</p>}
      {list.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th>{head.when}</th>
              <th>{head.what}</th>
              <th>{head.who}</th>
              <th>{head.why}</th>
            </tr>
          </thead>
          <tbody>
            {list.map((entry) => (
              <tr key={entry.id}>
                <td class="quiet">{momentText(entry.at)}</td>
                <td class="full">
                  {entry.act} {entry.subject && <code>{entry.subject}</code>}
                </td>
                <td>{entry.by}</td>
                <td class="full reason">{entry.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {cursor !== undefined && (
        <p class="after">
          <button type="button" class="btn plain" onClick={showMore}>
            {texts.common.more}
          </button>
        </p>
      )}
    </Page>
  )
}
