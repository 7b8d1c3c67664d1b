import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { api, type Schemas } from '../../api/client.ts'
import { dayText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/failed.tsx'
import { Page, WaitingRows } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'

const STATUSES = [1, 3, 2, 0] as const

/** Accounts by state; those that wait for their identity are confirmed here. */
export default function Users() {
  const { query } = useRoute()
  const status = STATUSES.find((each) => String(each) === query.status) ?? 1
  const users = useLoad(() => api.GET('/v0/users', { params: { query: { status } } }), [status])
  const [asking, setAsking] = useState<Schemas['User']>()
  const list = users.data?.users ?? []
  const { userHead: head } = texts.operate
  return (
    <Page title={texts.operate.usersTitle}>
      <nav class="filters" aria-label={texts.operate.usersTitle}>
        {STATUSES.map((each) => (
          <a
            key={each}
            href={`/console/operate/users?status=${each}`}
            aria-current={each === status ? 'true' : undefined}
          >
            {texts.operate.userStates[each]}
          </a>
        ))}
      </nav>
      {users.error && <Failed error={users.error} again={users.reload} />}
      {users.waiting && !users.data && <WaitingRows />}
      {users.data && list.length === 0 && <p class="quiet after">{texts.operate.noUsers}</p>}
      {list.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th>{head.email}</th>
              <th>{head.name}</th>
              <th class="num">{head.since}</th>
              <th>
                <span class="vh">{texts.operate.confirmIdentity}</span>
              </th>
            </tr>
          </thead>
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
                      {texts.operate.confirmIdentity}
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
          title={texts.operate.confirmIdentity}
          act={texts.operate.confirmIdentity}
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
