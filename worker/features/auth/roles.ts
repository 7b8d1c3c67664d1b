import type { RoleName } from './sql/users.ts'

/** What a caller may do beyond reading (docs/behaviour.md, section 5). */
export type Permission = 'store' | 'pay' | 'users' | 'moderate' | 'import' | 'operate'

/** The permissions of each role. */
export const ROLES: Readonly<Record<RoleName, readonly Permission[]>> = {
  user: ['store', 'pay'],
  admin: ['store', 'pay', 'users', 'moderate', 'import', 'operate'],
}

/** What an API key can do at most, whatever its account may. */
export const KEY_PERMISSIONS: readonly Permission[] = ['store', 'pay']

/** A role and its permissions as tokens and answers show them: a permission is an object with a name. */
export function describeRole(name: RoleName): { name: RoleName; permissions: { name: Permission }[] } {
  return { name, permissions: ROLES[name].map((permission) => ({ name: permission })) }
}
