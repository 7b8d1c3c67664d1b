import { REFUSED_FROM } from '../../platform/d1/database-room.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { Allowance } from './allowance.ts'

const RETRY_AFTER = '3600'

/**
 * Refuses new items of a user while the database is nearly full, of `limit` bytes: first those of accounts that never paid. Pure.
 * @throws {AppError} 503 `database_full`
 */
export function requireRoom(
  { hasPaid, databaseBytes }: Pick<Allowance, 'hasPaid' | 'databaseBytes'>,
  limit: number,
): void {
  if (databaseBytes < (hasPaid ? REFUSED_FROM.all : REFUSED_FROM.neverPaid) * limit) return
  const whose =
    databaseBytes >= REFUSED_FROM.all * limit
      ? 'No new items are'
      : 'No new items of accounts that have not paid yet are'
  const message = `${whose} accepted: the database is nearly full. Items that exist are still paid for, written and read.`
  throw new AppError(503, 'database_full', message, { headers: { 'Retry-After': RETRY_AFTER } })
}
