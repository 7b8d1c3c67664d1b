import { Hono } from 'hono'
import { requireToken } from '../auth/require-token.ts'
import { answerTable } from '../http/answer-table.ts'
import type { AppEnv } from '../http/app-env.ts'
import { prefersCsv } from '../http/csv.ts'
import { JSON_TYPE } from '../http/media-types.ts'

/** /v0/ledger: every move of an account's money. */
export const ledger = new Hono<AppEnv>()

ledger.get('/', requireToken('pay'), async (c) => {
  const { ledgerPage, ledgerTable } = await import('../payments/list-ledger.ts')
  const { userId } = c.get('caller')
  const cursor = c.req.query('cursor')
  if (prefersCsv(c.req.header('Accept'))) return answerTable(c, 'ledger', await ledgerTable(c.env.DB, userId, cursor))
  const page = await ledgerPage(c.env.DB, userId, cursor)
  return c.body(page, 200, { 'Content-Type': JSON_TYPE, Vary: 'Accept' })
})
