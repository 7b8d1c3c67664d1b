import { profileClaims } from '../auth/token-claims.ts'
import { unixSeconds } from '../clock.ts'
import type { User } from '../storage/accounts/users.ts'

/** An account as answers show it; `createdAt` in Unix seconds. */
export function describeUser(user: User) {
  return { id: user.id, ...profileClaims(user), createdAt: unixSeconds(user.createdAt) }
}
