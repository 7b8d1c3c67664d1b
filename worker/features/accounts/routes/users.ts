import { Hono } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { parseAs } from '../../../platform/http/read-request.ts'
import { requireToken } from '../../auth/require-token.ts'
import { selectUsers } from '../../auth/sql/users.ts'
import { describeUser } from '../describe-user.ts'
import { readUserFilter, userCursor } from '../user-filter.ts'

const MAX_ON_A_PAGE = 100

/** /v0/users (docs/behaviour/accounts.md) */
export const users = new Hono<AppEnv>()

users.get('/', requireToken('users'), async (c) => {
  const query = await parseAs(c.req.query(), () => import('../../../../contract/account.ts'), 'UserQuery')
  const filter = readUserFilter(query)
  const found = await selectUsers(c.env.DB, { ...filter, most: MAX_ON_A_PAGE })
  const last = found.length === MAX_ON_A_PAGE ? found.at(-1) : undefined
  return c.json({ users: found.map(describeUser), cursor: last ? userCursor(last) : null })
})
