import type { NewNames } from '../../../contract/account.ts'
import type { Language } from '../../../contract/languages.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { checkPassword } from '../auth/check-password.ts'
import type { Caller } from '../auth/find-caller.ts'
import { withHashSlot } from '../auth/hash-slots.ts'
import { deviceOf } from '../auth/known-device.ts'
import { hashPassword } from '../auth/password-hash.ts'
import { selectUser, type User, updateNames, updatePassword, updatePreferences } from '../auth/sql/users.ts'
import { tokenEnded } from '../auth/unauthorized.ts'

/** What an account may change of itself: its names and preferences, or its password by giving the one until now. */
export type ProfileChange =
  | (Record<'firstName' | 'lastName' | 'buyer', string | undefined> & {
      orderMails: boolean | undefined
      language: Language | null | undefined
    })
  | { password: string; newPassword: string }

/** What is changed: names or the password, not both. @throws {AppError} 400 naming the field. */
export function readProfileChange({ password, newPassword, ...names }: NewNames): ProfileChange {
  const { firstName, lastName, buyer, orderMails, language } = names
  const named = [firstName, lastName, buyer, orderMails, language].some((value) => value !== undefined)
  if (password === undefined && newPassword === undefined) {
    if (!named) throw invalidField('firstName', 'or lastName, or newPassword, must be given.')
    return { firstName, lastName, buyer, orderMails, language }
  }
  if (named) throw invalidField('password', 'must be changed by a request of its own.')
  if (password === undefined) throw invalidField('password', 'is missing.')
  if (newPassword === undefined) throw invalidField('newPassword', 'is missing.')
  return { password, newPassword }
}

/**
 * Changes an account. A new password ends its other sessions and all access tokens; the session of the request stays, and
 * gets another token by its refresh token. `now` in milliseconds.
 * @throws {AppError} 401, 403 for a wrong password, 429 after too many.
 */
export async function changeProfile(
  db: D1Database,
  config: Pick<Config, 'passwordPeppers' | 'tokenKeys'>,
  caller: Pick<Caller, 'userId' | 'session' | 'authTime'> & { client: Client },
  change: ProfileChange,
  now: number,
): Promise<User> {
  const user = await selectUser(db, caller.userId)
  if (!user) throw tokenEnded()
  if ('password' in change) {
    const given = { email: user.email, password: change.password, client: caller.client, known: deviceOf(caller) }
    if (!(await checkPassword(db, config, given, user, now))) {
      throw new AppError(403, 'wrong_password', 'This is not the current password. Nothing was changed.')
    }
    const passwordHash = await withHashSlot('known', () => hashPassword(change.newPassword, config.passwordPeppers))
    if (!(await updatePassword(db, user, passwordHash, caller.session, now))) throw tokenEnded()
  } else {
    await updateNames(db, user.id, change)
    await updatePreferences(db, user.id, change)
  }
  return (await selectUser(db, user.id)) ?? user
}
