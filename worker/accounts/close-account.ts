import { checkPassword } from '../auth/check-password.ts'
import { tokenEnded } from '../auth/unauthorized.ts'
import { AppError } from '../http/errors.ts'
import { closeUser, selectUser } from '../storage/accounts/users.ts'

/**
 * Closes the account of somebody who gives the password once more; every token of it ends. `now` in milliseconds.
 * @throws {AppError} 401, 403, 429.
 */
export async function closeAccount(
  db: D1Database,
  given: { userId: string; password: string; client: string | undefined },
  now: number,
): Promise<void> {
  const user = await selectUser(db, given.userId)
  const refused = () => new AppError(403, 'wrong_password', 'The account stays open: this is not its password.')
  if (!user) throw refused()
  if (!(await checkPassword(db, { ...given, email: user.email }, user, now))) throw refused()
  // Closed by another request, or given a new password: either ended the token of this one.
  if (!(await closeUser(db, user, now))) throw tokenEnded()
}
