import { profileClaims } from '../auth/token-claims.ts'
import type { User } from '../storage/users.ts'

/** An account as answers show it. */
export function describeUser(user: User) {
  return { id: user.id, ...profileClaims(user), createdAt: new Date(user.createdAt).toISOString() }
}
