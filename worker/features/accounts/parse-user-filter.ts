import { invalidField } from '../../platform/http/errors.ts'
import { USER_STATUS, type User } from '../auth/sql/users.ts'

/** Where the next page of accounts begins: after this one. */
export function userCursor(user: User): string {
  return `${user.createdAt}.${user.id}`
}

/** The query of GET /v0/users. @throws {AppError} 400. */
export function parseUserFilter(status: string | undefined, cursor: string | undefined) {
  if (status !== undefined && !/^[0-3]$/.test(status)) throw invalidField('status', 'must be 0, 1, 2 or 3.')
  const [, createdAt, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(cursor ?? '') ?? []
  if (cursor !== undefined && id === undefined) throw invalidField('cursor', 'is not one that this list gave.')
  return {
    statuses: status === undefined ? Object.values(USER_STATUS) : [Number(status)],
    after: id === undefined ? undefined : { createdAt: Number(createdAt), id },
  }
}
