import type { Config } from '../../platform/config/config.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { readText } from '../../platform/http/read-fields.ts'
import { checkPassword } from '../auth/check-password.ts'
import { withHashTurn } from '../auth/hash-turn.ts'
import { parsePassword } from '../auth/parse-credentials.ts'
import { parseName } from '../auth/parse-name.ts'
import { hashPassword } from '../auth/password-hash.ts'
import { selectUser, type User, updateNames, updatePassword } from '../auth/sql/users.ts'
import { tokenEnded } from '../auth/unauthorized.ts'

/** What an account may change of itself: its names, or its password by giving the one until now. */
export type ProfileChange =
  | { firstName: string | undefined; lastName: string | undefined }
  | { password: string; newPassword: string }

/** The fields of a change. @throws {AppError} 400 naming the field. */
export function parseProfileChange(body: Record<string, unknown>): ProfileChange {
  const has = (field: string) => Object.hasOwn(body, field)
  if (has('password') || has('newPassword')) {
    if (has('firstName') || has('lastName')) throw invalidField('password', 'must be changed by a request of its own.')
    return { password: readText(body, 'password'), newPassword: parsePassword(body, 'newPassword') }
  }
  if (!has('firstName') && !has('lastName'))
    throw invalidField('firstName', 'or lastName, or newPassword, must be given.')
  return {
    firstName: has('firstName') ? parseName(body, 'firstName') : undefined,
    lastName: has('lastName') ? parseName(body, 'lastName') : undefined,
  }
}

/**
 * Changes an account. A new password ends its other sessions and all access tokens; the session that asked goes on, and
 * gets another token by its refresh token. `now` in milliseconds.
 * @throws {AppError} 401, 403 for a wrong password, 429 after too many.
 */
export async function changeProfile(
  db: D1Database,
  { passwordPeppers }: Pick<Config, 'passwordPeppers'>,
  caller: { userId: string; session: string | undefined; client: Client },
  change: ProfileChange,
  now: number,
): Promise<User> {
  const user = await selectUser(db, caller.userId)
  if (!user) throw tokenEnded()
  if ('password' in change) {
    const given = { email: user.email, password: change.password, client: caller.client }
    if (!(await checkPassword(db, passwordPeppers, given, user, now))) {
      throw new AppError(403, 'wrong_password', 'This is not the password until now. Nothing was changed.')
    }
    const passwordHash = await withHashTurn('login', () => hashPassword(change.newPassword, passwordPeppers))
    if (!(await updatePassword(db, user, passwordHash, caller.session, now))) throw tokenEnded()
  } else await updateNames(db, user.id, change)
  return (await selectUser(db, user.id)) ?? user
}
