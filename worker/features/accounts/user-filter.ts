import type { UserQuery } from '../../../contract/account.ts'
import { invalidField } from '../../platform/http/errors.ts'
import { USER_STATUS, type User } from '../auth/sql/users.ts'

/** Where the next page of accounts begins: after this one. */
export function userCursor(user: User): string {
  return `${user.createdAt}.${user.id}`
}

/** Which accounts are listed. @throws {AppError} 400 for a cursor of no page. */
export function readUserFilter({ status, cursor }: UserQuery) {
  const [, createdAt, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(cursor ?? '') ?? []
  if (cursor !== undefined && id === undefined)
    throw invalidField('cursor', 'must be one that an earlier page returned.')
  return {
    statuses: status === undefined ? Object.values(USER_STATUS) : [status],
    after: id === undefined ? undefined : { createdAt: Number(createdAt), id },
  }
}
