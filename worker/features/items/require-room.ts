import { REFUSED_FROM } from '../../platform/d1/database-room.ts'
import { AppError } from '../../platform/http/errors.ts'

const RETRY_AFTER = '3600'

/**
 * Refuses new items of a user while the database is nearly full: first those of who never paid.
 * @throws {AppError} 503 `database_full`
 */
export async function requireRoom(db: D1Database, userId: string, databaseBytes: number): Promise<void> {
  const { results, meta } = await db
    .prepare('SELECT EXISTS (SELECT 1 FROM ledger WHERE user_id = ?) AS paid')
    .bind(userId)
    .run<{ paid: number }>()
  const most = results[0]?.paid === 1 ? REFUSED_FROM.all : REFUSED_FROM.neverPaid
  if (meta.size_after < most * databaseBytes) return
  const whose = most === REFUSED_FROM.all ? 'No new items are' : 'No new items of accounts that have not paid yet are'
  const message = `${whose} taken: the database is nearly full. What is here is written, paid and read as before.`
  throw new AppError(503, 'database_full', message, { headers: { 'Retry-After': RETRY_AFTER } })
}
