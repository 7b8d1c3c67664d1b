import { unixSeconds } from '../../platform/clock.ts'
import type { User } from '../auth/sql/users.ts'
import { profileClaims } from '../auth/token-claims.ts'

/** An account as answers show it; `createdAt` in Unix seconds. */
export function describeUser(user: User) {
  return { id: user.id, ...profileClaims(user), createdAt: unixSeconds(user.createdAt) }
}
