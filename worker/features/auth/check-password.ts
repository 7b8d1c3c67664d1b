import type { PasswordPeppers } from '../../platform/config/password-peppers.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { countAttempt } from './count-attempt.ts'
import { withHashTurn } from './hash-turn.ts'
import { DECOY_HASH, hashPassword, isOutdated, matchesHash, missingPepper } from './password-hash.ts'
import { deleteAttempt, updateAttempt } from './sql/attempts.ts'
import { type User, updatePasswordHash } from './sql/users.ts'

/**
 * Whether `password` is that of `user`. An address without an account costs the same attempt and the same hash, and so
 * does a user whose hash names a pepper that is gone: that is a wrong password to them, and a line in the log.
 * @throws {AppError} 429 after too many failures, 503 when too many hashes wait.
 */
export async function checkPassword(
  db: D1Database,
  peppers: PasswordPeppers,
  given: { email: string; password: string; client: Client },
  user: User | undefined,
  now: number,
): Promise<boolean> {
  const { id: attempt, left } = await countAttempt(db, 'login', given.email, given.client, now)
  let matches: boolean
  try {
    matches = await withHashTurn('login', () => matchesHash(given.password, user?.passwordHash ?? DECOY_HASH, peppers))
  } catch (error) {
    await deleteAttempt(db, attempt)
    throw error
  }
  if (!matches || !user) {
    const missing = user && missingPepper(user.passwordHash, peppers)
    if (missing) console.error('pepper_missing', missing, `needed for the password of user ${user.id}`)
    await updateAttempt(db, attempt)
    given.client.tell(left)
    return false
  }
  await deleteAttempt(db, attempt)
  given.client.tell({ ...left, left: left.left + 1 })
  if (isOutdated(user.passwordHash, peppers)) await renewHash(db, user, () => hashPassword(given.password, peppers))
  return true
}

/** Where many hashes wait, the next login does it. */
async function renewHash(db: D1Database, user: User, hash: () => string): Promise<void> {
  try {
    await updatePasswordHash(db, user.id, user.passwordHash, await withHashTurn('login', hash))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    console.info('hash_not_renewed', error.code)
  }
}
