import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { api, type Schemas } from '../../api/client.ts'
import { dayText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { TableHead } from '../../parts/table.tsx'
import { operateTexts } from '../../texts/operate.ts'

const STATUSES = [1, 3, 2, 0] as const

/** Accounts by state; the identity of an account is confirmed here. */
export default function Users() {
  const { query } = useRoute()
  const status = STATUSES.find((each) => String(each) === query.status) ?? 1
  const users = useLoad(() => api.GET('/v0/users', { params: { query: { status } } }), [status])
  const [asking, setAsking] = useState<Schemas['User']>()
  const list = users.data?.users ?? []
  const { userHead: head } = operateTexts
  return (
    <Page title={operateTexts.usersTitle}>
      <Filters
        label={operateTexts.usersTitle}
        values={STATUSES}
        value={status}
        path="/console/operate/users"
        textOf={(each) => operateTexts.userStates[each]}
      />
      <Reading of={users} />
      {users.data && list.length === 0 && <p class="quiet after">{operateTexts.noUsers}</p>}
      {list.length > 0 && (
        <table class="table">
          <TableHead columns={[head.email, head.name, { num: head.since }, { hidden: operateTexts.confirmIdentity }]} />
          <tbody>
            {list.map((user) => (
              <tr key={user.id}>
                <td class="grow">{user.email}</td>
                <td>
                  {user.firstName} {user.lastName}
                </td>
                <td class="num quiet">{dayText(user.createdAt)}</td>
                <td class="num push">
                  {user.status === 3 && (
                    <button type="button" class="btn" onClick={() => setAsking(user)}>
                      {operateTexts.confirmIdentity}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {asking && (
        <ActDialog
          title={operateTexts.confirmIdentity}
          act={operateTexts.confirmIdentity}
          onClose={() => setAsking(undefined)}
          onAct={async () => {
            await api.PUT('/v0/user/{id}/identity', { params: { path: { id: asking.id } }, body: { verified: true } })
            users.reload()
          }}
        >
          <p>{asking.email}</p>
        </ActDialog>
      )}
    </Page>
  )
}
