import { Hono } from 'hono'
import { answerTable } from '../../../platform/http/answer-table.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { prefersCsv } from '../../../platform/http/csv.ts'
import { JSON_TYPE } from '../../../platform/http/media-types.ts'
import { requireToken } from '../../auth/require-token.ts'

/** /v0/ledger: every move of an account's money. */
export const ledger = new Hono<AppEnv>()

ledger.get('/', requireToken('pay'), async (c) => {
  const { ledgerPage, ledgerTable } = await import('../list-ledger.ts')
  const { userId } = c.get('caller')
  const cursor = c.req.query('cursor')
  if (prefersCsv(c.req.header('Accept'))) return answerTable(c, 'ledger', await ledgerTable(c.env.DB, userId, cursor))
  const page = await ledgerPage(c.env.DB, userId, cursor)
  return c.body(page, 200, { 'Content-Type': JSON_TYPE, Vary: 'Accept' })
})
