import { Hono } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { JSON_TYPE } from '../../../platform/http/media-types.ts'
import { requireToken } from '../../auth/require-token.ts'
import { auditPage } from '../audit-page.ts'

/** /v0/audit: who did what (docs/behaviour/accounts.md). */
export const audit = new Hono<AppEnv>()

audit.get('/', requireToken(), async (c) => {
  const { account, cursor } = c.req.query()
  const page = await auditPage(c.env.DB, c.get('caller'), { account, cursor })
  return c.body(page, 200, { 'Content-Type': JSON_TYPE })
})
