import { Hono } from 'hono'
import type { UserQuery } from '../../../../contract/account.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { invalidCursor } from '../../../platform/http/errors.ts'
import { parseAs } from '../../../platform/http/read-request.ts'
import { requireToken } from '../../auth/require-token.ts'
import { selectUsers, USER_STATUS } from '../../auth/sql/users.ts'
import { describeUser } from '../../auth/token-claims.ts'

const MAX_ON_A_PAGE = 100

/** /v0/users (docs/behaviour/accounts.md) */
export const users = new Hono<AppEnv>()

users.get('/', requireToken('users'), async (c) => {
  const query = await parseAs(c.req.query(), () => import('../../../../contract/account.ts'), 'UserQuery')
  const found = await selectUsers(c.env.DB, { ...readFilter(query), most: MAX_ON_A_PAGE })
  const last = found.length === MAX_ON_A_PAGE ? found.at(-1) : undefined
  return c.json({ users: found.map(describeUser), cursor: last ? `${last.createdAt}.${last.id}` : null })
})

/** Which accounts are listed. @throws {AppError} 400 for a cursor of no page. */
function readFilter({ status, cursor }: UserQuery) {
  const [, createdAt, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(cursor ?? '') ?? []
  if (cursor !== undefined && id === undefined) throw invalidCursor()
  return {
    statuses: status === undefined ? Object.values(USER_STATUS) : [status],
    after: id === undefined ? undefined : { createdAt: Number(createdAt), id },
  }
}
