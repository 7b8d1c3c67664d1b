import { env } from 'cloudflare:test'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PERMISSIONS, ROLES, SCOPES } from '../../../../contract/scopes.ts'
import { hashApiKey, newApiKey } from '../../../../worker/features/auth/keys/api-key.ts'
import { METHODS, type Operation, type Parameter } from '../../../../worker/features/docs/openapi.ts'
import { PATHS } from '../../../../worker/features/docs/openapi-document.ts'
import { fetchApi } from '../../fetch-api.ts'
import { add } from '../../rows.ts'
import { addTokens, logInQuickly, signIn } from '../../sign-in.ts'
import { decode, forgeToken, HEADER } from './forge-token.ts'

// Each operation of the description by each caller; what is expected is what the description says of the operation.

interface Cell {
  method: string
  path: string
  operation: Operation
}

const CELLS: Cell[] = Object.entries(PATHS).flatMap(([path, operations]) =>
  METHODS.flatMap((method) => {
    const operation = operations[method]
    return operation ? [{ method: method.toUpperCase(), path, operation }] : []
  }),
)
const SECURED = CELLS.filter(({ operation }) => operation.security)
const OPEN = CELLS.filter(({ operation }) => !operation.security)
const nameOf = ({ method, path }: Cell) => `${method} ${path}`
const named = (cells: Cell[]) => cells.map((cell) => [nameOf(cell), cell] as const)

const permissionsOf = ({ operation }: Cell) =>
  (operation.security ?? []).flatMap(({ accessToken }) => accessToken ?? [])
const scopesOf = ({ operation }: Cell) => (operation.security ?? []).flatMap(({ apiKey }) => apiKey ?? [])

/** What a refusal for who asks is known by; whatever else an operation answers, the caller was let in. */
const REFUSALS = ['token_missing', 'token_invalid', 'permission_missing', 'key_not_taken', 'scope_missing']

const UUID = '00000000-0000-4000-8000-000000000000'
const NOBODYS = ['0'.repeat(24), '0'.repeat(64), UUID, 'A'.repeat(22), 'Bitcoin', '0', 'x.example.com', 'bafkqaaa']

/** A value that the parameter's schema takes, and that names nothing. */
function sampleOf({ schema }: Parameter): string {
  if (schema.enum?.[0] !== undefined) return String(schema.enum[0])
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern)
  return (schema.format === 'uuid' ? UUID : NOBODYS.find((value) => pattern?.test(value) ?? true)) ?? 'x'
}

function pathOf({ path, operation }: Cell, given: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = operation.parameters?.find((one) => one.in === 'path' && one.name === name)
    return given[name] ?? (parameter ? sampleOf(parameter) : 'x')
  })
}

/** A body of the right media type, which says nothing; or the one of the description. */
function bodyOf({ operation }: Cell, example = false): { body?: unknown; headers?: Record<string, string> } {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (type === undefined) return {}
  if (type === 'application/json') return { body: (example ? media?.example : undefined) ?? {} }
  return { body: 'x', headers: { 'Content-Type': type.includes('*') ? 'application/octet-stream' : type } }
}

async function ask(cell: Cell, token: string | undefined, path = pathOf(cell), example = false) {
  const response = await fetchApi(cell.method, path, { ...bodyOf(cell, example), token })
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') && cell.method !== 'HEAD'
  const text = isJson ? await response.text() : ''
  // A stream of events has no end.
  if (!isJson) await response.body?.cancel()
  const { code, message }: { code?: string; message?: string } = text === '' ? {} : JSON.parse(text)
  return { status: response.status, code, message, challenge: response.headers.get('WWW-Authenticate') }
}

/** As {@link ask}, what is told of the caller alone: nothing where it was let in. HEAD has no body to say why. */
async function refusalOf(cell: Cell, token: string | undefined) {
  const { status, code, challenge } = await ask(cell, token)
  if (cell.method === 'HEAD') return status === 401 || status === 403 ? { status } : undefined
  return code !== undefined && REFUSALS.includes(code) ? { status, code, ...(challenge && { challenge }) } : undefined
}

function refused(cell: Cell, status: 401 | 403, code: string) {
  if (cell.method === 'HEAD') return { status }
  return status === 401 ? { status, code, challenge: 'Bearer' } : { status, code }
}

async function insertKey(userId: string, scopes: readonly string[]): Promise<string> {
  const key = newApiKey()
  const row = { id: crypto.randomUUID(), user_id: userId, hash: (await hashApiKey(key)) ?? '', spending: '{}' }
  await add('api_keys', { ...row, scopes: JSON.stringify(scopes) })
  return key
}

let user: Awaited<ReturnType<typeof signIn>>
let admin: Awaited<ReturnType<typeof signIn>>
/** Tokens that are none, or no longer. */
const bad: Record<string, string> = {}
/** A key for each scope, and one for all. */
const keys: Record<string, string> = {}

beforeAll(async () => {
  for (const method of ['log', 'info', 'warn', 'error'] as const) vi.spyOn(console, method).mockReturnValue(undefined)
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('No test of callers reaches the network.'))
  user = await signIn()
  admin = await signIn('admin')
  const session = await logInQuickly()
  const { header, payload } = decode(session.accessToken)
  bad.malformed = 'x.y.z'
  bad.forged = forgeToken(header, payload, Buffer.alloc(32, 9))
  bad['without a signature'] = forgeToken({ ...HEADER, alg: 'none' }, payload)
  bad.expired = (await addTokens(session.userId, Date.now() - 1_801_000)).accessToken
  bad['a refresh token'] = session.refreshToken
  const closed = await signIn('admin')
  await env.DB.prepare('UPDATE users SET status = 0 WHERE id = ?').bind(closed.userId).run()
  bad['of a closed account'] = closed.token
  const revoked = await insertKey(user.userId, SCOPES)
  await env.DB.prepare('DELETE FROM api_keys WHERE hash = ?')
    .bind(await hashApiKey(revoked))
    .run()
  bad['a revoked key'] = revoked
  for (const scope of SCOPES) keys[scope] = await insertKey(user.userId, [scope])
  keys.all = await insertKey(admin.userId, SCOPES)
})
afterAll(() => vi.restoreAllMocks())

describe('every operation that needs a token', () => {
  it.each(named(SECURED))('%s refuses who has none', async (_, cell) => {
    expect(await refusalOf(cell, undefined)).toEqual(refused(cell, 401, 'token_missing'))
  })

  it.each(named(SECURED))('%s refuses tokens that are none, or no longer', async (_, cell) => {
    const refusals: Record<string, unknown> = {}
    for (const [kind, token] of Object.entries(bad)) refusals[kind] = await refusalOf(cell, token)
    const wanted = Object.keys(bad).map((kind) => [kind, refused(cell, 401, 'token_invalid')])
    expect(refusals).toEqual(Object.fromEntries(wanted))
  })

  it.each(named(SECURED))('%s lets a user in as its permission says, and an administrator', async (_, cell) => {
    const isUsers = permissionsOf(cell).every((permission) => ROLES.user.some((own) => own === permission))
    expect(await refusalOf(cell, user.token)).toEqual(isUsers ? undefined : refused(cell, 403, 'permission_missing'))
    expect(await refusalOf(cell, admin.token)).toBeUndefined()
  })

  it.each(named(SECURED))('%s takes API keys of its scopes, and no other', async (_, cell) => {
    const scopes = scopesOf(cell)
    const code = scopes.length === 0 ? 'key_not_taken' : 'scope_missing'
    const refusals: Record<string, unknown> = {}
    for (const scope of SCOPES) refusals[scope] = await refusalOf(cell, keys[scope])
    const wanted = SCOPES.map((scope) => [scope, scopes.includes(scope) ? undefined : refused(cell, 403, code)])
    expect(refusals).toEqual(Object.fromEntries(wanted))
    expect(await refusalOf(cell, keys.all)).toEqual(scopes.length > 0 ? undefined : refused(cell, 403, 'key_not_taken'))
  })
})

describe('every operation that needs no token', () => {
  it.each(named(OPEN))('%s looks at none that is sent', async (_, cell) => {
    const answers = new Set<string>()
    for (const token of [undefined, user.token, ...Object.values(bad)]) {
      expect(await refusalOf(cell, token)).toBeUndefined()
      const { status, code } = await ask(cell, token)
      answers.add(`${status} ${code}`)
    }
    expect([...answers]).toHaveLength(1)
  })
})

describe('what belongs to another account', () => {
  const ITEM = 'a'.repeat(24)
  const FOLDER = 'b'.repeat(24)
  const SITE = 'c'.repeat(24)
  const ADDRESS = 'bc1qaddressofanother'
  const ORDER = '22222222-2222-4222-8222-222222222222'
  const OF_ANOTHER: [RegExp, Record<string, string>][] = [
    [/^\/v0\/(?:item|upload)\/\{id\}/, { id: ITEM }],
    [/^\/v0\/folder\/\{id\}/, { id: FOLDER }],
    [/^\/v0\/site\/\{id\}/, { id: SITE }],
    [/^\/v0\/webhook\/\{id\}/, { id: 'webhook-of-another' }],
    [/^\/v0\/user\/(?:keys|passkeys)\/\{id\}/, { id: '11111111-1111-4111-8111-111111111111' }],
    [/^\/v0\/user\/sessions\/\{jti\}/, { jti: 'B'.repeat(22) }],
    // Whoever may claim a host is told so, with another's claim to it as without one: its DNS decides.
    [/^\/v0\/domain\/\{host\}(?!\/claim)/, { host: 'another.example.com' }],
    [/^\/v0\/order\/\{id\}/, { id: ORDER }],
    [/^\/v0\/withdrawal\/\{id\}/, { id: 'withdrawal-of-another' }],
  ]
  const idsOf = ({ path }: Cell) => OF_ANOTHER.find(([pattern]) => pattern.test(path))?.[1]
  const ofUsers = SECURED.filter((cell) => permissionsOf(cell).every((one) => ROLES.user.some((own) => own === one)))
  const cells = ofUsers.filter(idsOf)
  const TABLES = [
    'items',
    'folders',
    'sites',
    'webhooks',
    'api_keys',
    'passkeys',
    'sessions',
    'domains',
    'orders',
  ].concat('withdrawals', 'payment_requests')
  let owner: Awaited<ReturnType<typeof signIn>>
  /** Who has nothing at all. */
  let other: Awaited<ReturnType<typeof signIn>>
  const rows = async () => {
    const parts = TABLES.map((table) => env.DB.prepare(`SELECT * FROM ${table} WHERE user_id = ?`).bind(owner.userId))
    return (await env.DB.batch(parts)).map(({ results }) => results)
  }

  beforeAll(async () => {
    owner = await signIn()
    other = await signIn()
    await add('items', { id: MINE.item, user_id: user.userId, status: 402 })
    await add('folders', { id: MINE.folder, user_id: user.userId })
    await add('sites', { id: MINE.site, user_id: user.userId })
    const user_id = owner.userId
    const id = '11111111-1111-4111-8111-111111111111'
    await add('items', { id: ITEM, user_id, status: 402 })
    await add('folders', { id: FOLDER, user_id })
    await add('sites', { id: SITE, user_id })
    await add('webhooks', { id: 'webhook-of-another', user_id, url: 'https://shop.example.com/' })
    await add('api_keys', { id, user_id })
    await add('passkeys', { id, user_id })
    await add('sessions', { jti: 'B'.repeat(22), user_id, expires_at: Date.now() + 1_000_000 })
    await add('domains', { host: 'another.example.com', user_id, item_id: ITEM })
    await add('orders', { id: ORDER, user_id, name: 'order', blockchain: 'Bitcoin', created_at: 0 })
    await env.DB.prepare('UPDATE items SET order_id = ? WHERE id = ?').bind(ORDER, ITEM).run()
    await add('withdrawals', { id: 'withdrawal-of-another', user_id })
    await add('addresses', { user_id, address: ADDRESS, kind: 'request' })
    await add('payment_requests', { user_id, address: ADDRESS })
  })

  it.each(named(cells))('%s: is not there for anybody else, and stays as it is', async (_, cell) => {
    const before = await rows()
    const ids = idsOf(cell) ?? {}
    const answer = async (path: string) => {
      const { status, code, message } = await ask(cell, user.token, path, true)
      const text = Object.values(ids).reduce((text, id) => text.replaceAll(id, 'it'), message ?? '')
      return {
        status,
        code,
        message: text.replaceAll(/0{22,}|x\.example\.com|A{22}|00000000-0000-4000-8000-0{12}/g, 'it'),
      }
    }
    const others = await answer(pathOf(cell, ids))
    expect(others).toEqual(await answer(pathOf(cell)))
    expect(others.status).toBeGreaterThanOrEqual(400)
    expect(await rows()).toEqual(before)
  })

  it('is asked for by every operation of users that has an id in its path', () => {
    const others = ofUsers.filter((cell) => cell.path.includes('{') && !idsOf(cell)).map(nameOf)
    expect(others).toEqual(['GET /v0/payment/{blockchain}', 'GET /v0/domain/{host}/claim'])
  })

  interface Ids {
    item: string
    folder: string
    site: string
    order: string
    address: string
  }
  const NEW_ITEM = { name: 'x', mimetype: 'text/plain', blockchain: 'Bitcoin', size: 1 }
  const NEW_FOLDER = { name: 'x', blockchain: 'Bitcoin' }
  const NEW_DOMAIN = { host: 'mine.example.org' }
  const MINE = { item: 'd'.repeat(24), folder: 'e'.repeat(24), site: 'f'.repeat(24) }
  const BODIES: [name: string, path: string, status: number, body: (id: Ids) => unknown][] = [
    ['POST /v0/item in a folder', '/v0/item', 404, ({ folder }) => ({ ...NEW_ITEM, folder })],
    // An order has the id that its owner gave it: that of another account is as good as any.
    ['POST /v0/item in an order', '/v0/item', 201, ({ order }) => ({ ...NEW_ITEM, order })],
    ['POST /v0/folder in a folder', '/v0/folder', 404, ({ folder }) => ({ ...NEW_FOLDER, parent: folder })],
    ['POST /v0/folder in an order', '/v0/folder', 201, ({ order }) => ({ ...NEW_FOLDER, order })],
    ['POST /v0/item/merge of an item', '/v0/item/merge', 200, ({ item }) => ({ items: [item] })],
    ['POST /v0/payment for an item', '/v0/payment', 404, ({ item }) => ({ blockchain: 'Bitcoin', ids: [item] })],
    ['DELETE /v0/payment at an address', '/v0/payment', 404, ({ address }) => ({ address })],
    ['POST /v0/site of an item', '/v0/site', 404, ({ item }) => ({ name: 'x', item })],
    ['POST /v0/domain of an item', '/v0/domain', 404, ({ item }) => ({ ...NEW_DOMAIN, item })],
    ['POST /v0/domain of a site', '/v0/domain', 404, ({ site }) => ({ ...NEW_DOMAIN, site })],
    ['PATCH /v0/item into a folder', `/v0/item/${MINE.item}`, 404, ({ folder }) => ({ folder })],
    ['PATCH /v0/folder into a folder', `/v0/folder/${MINE.folder}`, 404, ({ folder }) => ({ parent: folder })],
    ['POST /v0/site/{id}/versions of an item', `/v0/site/${MINE.site}/versions`, 404, ({ item }) => ({ item })],
  ]
  const QUERIES: [name: string, path: (id: Ids) => string][] = [
    ['GET /v0/item of a folder', ({ folder }) => `/v0/item?folder=${folder}`],
    ['GET /v0/item of an order', ({ order }) => `/v0/item?order=${order}`],
    ['GET /v0/folder in a folder', ({ folder }) => `/v0/folder?parent=${folder}`],
    ['GET /v0/domain of a site', ({ site }) => `/v0/domain?site=${site}`],
    ['GET /v0/payment at an address', ({ address }) => `/v0/payment?address=${address}`],
  ]
  const THEIRS = { item: ITEM, folder: FOLDER, site: SITE, order: ORDER, address: ADDRESS }
  const NOTHINGS = {
    ...{ item: '0'.repeat(24), folder: '1'.repeat(24), site: '2'.repeat(24), address: 'bc1qnobodys' },
    order: '33333333-3333-4333-8333-333333333333',
  }
  const plain = (text: string, ids: Ids) => Object.values(ids).reduce((text, id) => text.replaceAll(id, 'it'), text)

  it.each(BODIES)('%s takes it for nothing, and leaves it as it is', async (name, path, status, bodyOf) => {
    const before = await rows()
    const answer = async (ids: Ids) => {
      const response = await fetchApi(name.split(' ')[0] ?? '', path, { body: bodyOf(ids), token: user.token })
      const text = await response.text()
      return { status: response.status, text: response.status === 201 ? '' : plain(text, ids) }
    }
    const theirs = await answer(THEIRS)
    expect(theirs.status).toBe(status)
    expect(theirs).toEqual(await answer(NOTHINGS))
    expect(await rows()).toEqual(before)
  })

  it.each(QUERIES)('%s lists nothing of it', async (_, pathOf) => {
    const answer = async (ids: Ids) => {
      const response = await fetchApi('GET', pathOf(ids), { token: other.token })
      return { status: response.status, text: plain(await response.text(), ids) }
    }
    expect(await answer(THEIRS)).toEqual(await answer(NOTHINGS))
  })

  it('is there for its owner', async () => {
    const reads = cells.filter(({ method, path }) => method === 'GET' && !/upload|receipt/.test(path))
    expect(reads.length).toBeGreaterThan(3)
    for (const cell of reads) {
      const { status } = await ask(cell, owner.token, pathOf(cell, idsOf(cell)))
      expect([nameOf(cell), status]).not.toEqual([nameOf(cell), 404])
    }
  })
})

it('the table of callers has every permission and every scope that the description names', () => {
  const permissions: readonly string[] = PERMISSIONS
  const scopes: readonly string[] = SCOPES
  expect(SECURED.flatMap(permissionsOf).filter((name) => !permissions.includes(name))).toEqual([])
  expect(SECURED.flatMap(scopesOf).filter((name) => !scopes.includes(name))).toEqual([])
  expect(CELLS.length).toBeGreaterThan(80)
})
