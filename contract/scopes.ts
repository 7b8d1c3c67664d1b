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

const STORING = ['store'] as const
const PAYING = ['pay'] as const
const OWN_ITEMS = ['read', 'store'] as const
const PAYMENTS = ['read', 'pay'] as const
const SITES = ['sites'] as const
const OWN_SITES = ['read', 'sites'] as const

/**
 * Every route that accepts an API key, with the scopes of which the key needs one. Other routes accept access tokens only:
 * routes for tokens, keys, sessions, passkeys and withdrawals, and routes of administrators, must never be added. The
 * description of the API is made from this table too.
 */
export const KEY_ROUTES: Readonly<Record<string, readonly Scope[]>> = {
  'GET /v0/user': ['read', 'store', 'pay', 'sites'],
  'POST /v0/folder': STORING,
  'GET /v0/folder': OWN_ITEMS,
  'GET /v0/folder/:id': OWN_ITEMS,
  'PATCH /v0/folder/:id': STORING,
  'DELETE /v0/folder/:id': STORING,
  'POST /v0/folder/:id/known': STORING,
  'POST /v0/folder/:id/merge': STORING,
  'POST /v0/item': STORING,
  'GET /v0/item': OWN_ITEMS,
  'GET /v0/item/counts': OWN_ITEMS,
  'GET /v0/item/:id/transactions': OWN_ITEMS,
  'GET /v0/item/:id/problems': [...OWN_ITEMS, 'sites'],
  'GET /v0/item/:id': ['read', 'store', 'pay'],
  'PUT /v0/item/:id/chunk/:index': STORING,
  'POST /v0/item/known': OWN_ITEMS,
  'POST /v0/item/merge': STORING,
  'POST /v0/item/:id/merge': STORING,
  'PATCH /v0/item/:id': STORING,
  'DELETE /v0/item/:id': STORING,
  'GET /v0/item/:id/receipt': ['read', 'store', 'pay'],
  'GET /v0/order': OWN_ITEMS,
  'GET /v0/order/:id': OWN_ITEMS,
  'DELETE /v0/order/:id': STORING,
  'GET /v0/ledger': PAYMENTS,
  'GET /v0/upload': OWN_ITEMS,
  'POST /v0/upload': STORING,
  'GET /v0/upload/:id': OWN_ITEMS,
  'PATCH /v0/upload/:id': STORING,
  'POST /v0/upload/:id': STORING,
  'DELETE /v0/upload/:id': STORING,
  'GET /v0/payment': PAYMENTS,
  'GET /v0/payment/:blockchain': PAYING,
  'POST /v0/payment': PAYING,
  'DELETE /v0/payment': PAYING,
  'GET /v0/site': OWN_SITES,
  'POST /v0/site': SITES,
  'POST /v0/site/problems': ['read', 'store', 'sites'],
  'GET /v0/site/:id': OWN_SITES,
  'PATCH /v0/site/:id': SITES,
  'DELETE /v0/site/:id': SITES,
  'GET /v0/site/:id/versions': OWN_SITES,
  'POST /v0/site/:id/versions': SITES,
  'PUT /v0/site/:id/current': SITES,
  'GET /v0/events': ['read', 'store', 'pay'],
  'GET /v0/webhook': PAYING,
  'POST /v0/webhook': PAYING,
  'POST /v0/webhook/:id/test': PAYING,
  'DELETE /v0/webhook/:id': PAYING,
  'POST /v0/domain': SITES,
  'GET /v0/domain': OWN_SITES,
  'GET /v0/domain/:host': OWN_SITES,
  'GET /v0/domain/:host/claim': OWN_SITES,
  'POST /v0/domain/:host/check': SITES,
  'DELETE /v0/domain/:host': SITES,
}

/** The scopes of which a key needs one for this route, a pattern such as `/v0/item/:id`; empty if it accepts no key. */
export function scopesOf(method: string, route: string): readonly Scope[] {
  const entry = `${method === 'HEAD' ? 'GET' : method} ${route}`
  return (Object.hasOwn(KEY_ROUTES, entry) && KEY_ROUTES[entry]) || []
}
