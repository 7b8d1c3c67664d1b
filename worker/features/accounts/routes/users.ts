import { Hono } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { requireToken } from '../../auth/require-token.ts'
import { selectUsers } from '../../auth/sql/users.ts'
import { describeUser } from '../describe-user.ts'
import { parseUserFilter, userCursor } from '../parse-user-filter.ts'

const MAX_ON_A_PAGE = 100

/** /v0/users (docs/behaviour.md, section 5) */
export const users = new Hono<AppEnv>()

users.get('/', requireToken('users'), async (c) => {
  const filter = parseUserFilter(c.req.query('status'), c.req.query('cursor'))
  const found = await selectUsers(c.env.DB, { ...filter, most: MAX_ON_A_PAGE })
  const last = found.length === MAX_ON_A_PAGE ? found.at(-1) : undefined
  return c.json({ users: found.map(describeUser), cursor: last ? userCursor(last) : null })
})
