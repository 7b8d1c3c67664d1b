import { KEY_ROUTES as ROUTES } from './generated/key-routes.ts'

/** What an API key may be made for. */
export const SCOPES = ['read', 'store', 'pay', 'sites'] as const
export type Scope = (typeof SCOPES)[number]

/** What a caller may do beyond reading, by the role of the account (docs/behaviour/accounts.md). */
export const PERMISSIONS = ['store', 'pay', 'users', 'moderate', 'import', 'operate'] as const
export type Permission = (typeof PERMISSIONS)[number]

/** The permissions of each role. */
export const ROLES = { user: ['store', 'pay'], admin: PERMISSIONS } as const satisfies Record<
  string,
  readonly Permission[]
>
export type RoleName = keyof typeof ROLES

/**
 * Every route that accepts an API key, with the scopes of which the key needs one, as the operations say it (`keys`); they
 * have the words of the description too, so the Worker reads this instead. Other routes accept access tokens only.
 */
export const KEY_ROUTES: Readonly<Record<string, readonly Scope[]>> = ROUTES

/** The scopes of which a key needs one for this route, a pattern such as `/v0/item/:id`; empty if it accepts no key. */
export function scopesOf(method: string, route: string): readonly Scope[] {
  const entry = `${method === 'HEAD' ? 'GET' : method} ${route}`
  return (Object.hasOwn(KEY_ROUTES, entry) && KEY_ROUTES[entry]) || []
}
