import { PAGE_ROWS } from '../../../../contract/limits.ts'
import { type BlockPosition, selectTip } from '../../../chain/follower/blocks.ts'
import { cutPage, pageCursor, parsePageKey } from '../../../platform/d1/page-key.ts'
import { listJson } from '../../../platform/http/coins-json.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { selectWithdrawals } from '../sql/withdrawals.ts'
import { withdrawalJson } from './withdrawal-json.ts'

/** A page of the caller's withdrawals, newest first, as JSON text. @throws {AppError} 400 for the cursor. */
export async function withdrawalPage(db: D1Database, userId: string, cursor: string | undefined): Promise<string> {
  const after = parsePageKey(cursor, (id) => /^[\da-f-]{36}$/.test(id))
  const page = cutPage(await selectWithdrawals(db, { userId, after, limit: PAGE_ROWS + 1 }), pageCursor)
  const tips = new Map<string, BlockPosition | undefined>()
  for (const chain of new Set(page.shown.map(({ blockchain }) => blockchain)))
    tips.set(chain, await selectTip(db, chain))
  const texts = page.shown.map((withdrawal) => withdrawalJson(withdrawal, tips.get(withdrawal.blockchain)?.height))
  return listJson('withdrawals', texts, page.cursor)
}

/** One withdrawal of a user as JSON text. @throws {AppError} 404 */
export async function readWithdrawal(db: D1Database, userId: string, id: string): Promise<string> {
  const [found] = await selectWithdrawals(db, { userId, id, after: undefined, limit: 1 })
  if (!found) throw notFound('There is no withdrawal with this id.')
  return withdrawalJson(found, (await selectTip(db, found.blockchain))?.height)
}
