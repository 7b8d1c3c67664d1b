import { deleteAttempt, updateAttempt } from '../storage/accounts/attempts.ts'
import { type User, updatePasswordHash } from '../storage/accounts/users.ts'
import { countAttempt } from './count-attempt.ts'
import { withHashTurn } from './hash-turn.ts'
import { DECOY_HASH, hashPassword, isOutdated, matchesHash } from './password-hash.ts'

/**
 * Whether `password` is that of `user`. An address without an account costs the same attempt and the same hash.
 * @throws {AppError} 429 after too many failures, 503 when too many hashes wait.
 */
export async function checkPassword(
  db: D1Database,
  given: { email: string; password: string; client: string | undefined },
  user: User | undefined,
  now: number,
): Promise<boolean> {
  const attempt = await countAttempt(db, 'login', given.email, given.client, now)
  let matches: boolean
  try {
    matches = await withHashTurn('login', () => matchesHash(given.password, user?.passwordHash ?? DECOY_HASH))
  } catch (error) {
    await deleteAttempt(db, attempt)
    throw error
  }
  if (!matches || !user) {
    await updateAttempt(db, attempt)
    return false
  }
  await deleteAttempt(db, attempt)
  if (isOutdated(user.passwordHash)) {
    const fresh = await withHashTurn('login', () => hashPassword(given.password))
    await updatePasswordHash(db, user.id, user.passwordHash, fresh)
  }
  return true
}
