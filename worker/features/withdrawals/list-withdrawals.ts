import { PAGE_ROWS } from '../../../contract/limits.ts'
import { type BlockPosition, selectTip } from '../../chain/follower/blocks.ts'
import type { PageKey } from '../../platform/d1/page-key.ts'
import { invalidCursor, notFound } from '../../platform/http/errors.ts'
import { selectWithdrawals } from './sql/withdrawals.ts'
import { withdrawalJson } from './withdrawal-json.ts'

/** A page of the caller's withdrawals, newest first, as JSON text. @throws {AppError} 400 for the cursor. */
export async function withdrawalPage(db: D1Database, userId: string, cursor: string | undefined): Promise<string> {
  const after = cursor === undefined ? undefined : parseCursor(cursor)
  const found = await selectWithdrawals(db, { userId, after, limit: PAGE_ROWS + 1 })
  const shown = found.slice(0, PAGE_ROWS)
  const tips = new Map<string, BlockPosition | undefined>()
  for (const chain of new Set(shown.map(({ blockchain }) => blockchain))) tips.set(chain, await selectTip(db, chain))
  const texts = shown.map((withdrawal) => withdrawalJson(withdrawal, tips.get(withdrawal.blockchain)?.height))
  const last = shown.at(-1)
  const next = found.length > PAGE_ROWS && last ? `,"cursor":"${last.createdAt}-${last.id}"` : ''
  return `{"withdrawals":[${texts.join()}]${next}}`
}

/** One withdrawal of a user as JSON text. @throws {AppError} 404 */
export async function readWithdrawal(db: D1Database, userId: string, id: string): Promise<string> {
  const [found] = await selectWithdrawals(db, { userId, id, after: undefined, limit: 1 })
  if (!found) throw notFound('There is no withdrawal with this id.')
  return withdrawalJson(found, (await selectTip(db, found.blockchain))?.height)
}

function parseCursor(cursor: string): PageKey {
  const [, createdAt, id] = /^(\d{1,15})-([\da-f-]{36})$/.exec(cursor) ?? []
  if (createdAt === undefined || id === undefined) throw invalidCursor()
  return { createdAt: Number(createdAt), id }
}
