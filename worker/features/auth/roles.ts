import { type Permission, ROLES, type RoleName } from '../../../contract/scopes.ts'

/** What an API key can do at most, no matter what its account may. */
export const KEY_PERMISSIONS: readonly Permission[] = ['store', 'pay']

/** A role and its permissions as tokens and answers show them: a permission is an object with a name. */
export function describeRole(name: RoleName): { name: RoleName; permissions: { name: Permission }[] } {
  return { name, permissions: ROLES[name].map((permission) => ({ name: permission })) }
}
