import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { Hono } from 'hono'
import { type FakeZone, fakeZones, newZone } from './fake-zones.ts'
import { isSigned } from './is-signed.ts'
import { closeServer, listen } from './loopback-server.ts'

/** What a token may do. */
type Permission = 'd1' | 'r2' | 'workers' | 'zones'

const ACCOUNT = 'a'.repeat(32)
const TOKEN = 'a-token'

/** Objects of a list at most; R2 lists a thousand. */
const MOST_LISTED = 3

/** D1's limit for one statement, in bytes (https://developers.cloudflare.com/d1/platform/limits/). */
const MAX_STATEMENT_BYTES = 100_000

interface LifecycleRule {
  id: string
  conditions: { prefix?: string }
  deleteObjectsTransition?: { condition: { maxAge?: number } }
}

/** An object of R2, with the headers that it was put with. */
interface StoredObject {
  bytes: Buffer
  headers: Record<string, string>
}

/** An account of the fake: a test looks at it and changes it. */
interface Account {
  permissions: Permission[]
  /** The names of its zones. */
  zones: string[]
  /** What its subscriptions are of; `undefined` where the token may not read them. */
  plans: string[] | undefined
  isR2Enabled: boolean
  databases: { uuid: string; name: string; location: unknown; sqlite: DatabaseSync }[]
  buckets: string[]
  /** By the names of their buckets and their keys. */
  objects: Map<string, Map<string, StoredObject>>
  lifecycle: LifecycleRule[]
  /** By name, what was deployed last: the settings of its upload. */
  workers: Map<string, unknown>
  /** Pages of rows that were read. */
  raw: number
  /** The versions that were uploaded, and the one that is deployed. */
  versions: { id: string; number: number; annotations: unknown; metadata: object }[]
  deployed: string | undefined
  /** Requests that nothing here answers. */
  unknown: string[]
}

/**
 * An API of Cloudflare, as far as Wrangler uses it for a deployment, on this machine: as strict as Cloudflare's documents and
 * public reports say that it is. D1 is SQLite with D1's limit of a statement; its query endpoint cuts triggers of several lines
 * (cloudflare/workers-sdk issues 4998, 14991), and an export with a full-text index is refused (issue 9519).
 */
export async function startFakeCloudflare() {
  const account: Account = {
    permissions: ['d1', 'r2', 'workers', 'zones'],
    zones: ['hookline.io', 'hookline-content.net'],
    plans: undefined,
    isR2Enabled: true,
    databases: [],
    buckets: [],
    objects: new Map(),
    lifecycle: [],
    workers: new Map(),
    raw: 0,
    versions: [],
    deployed: undefined,
    unknown: [],
  }
  const uploads = new Map<string, Buffer>()
  const zones = new Map<string, FakeZone>()
  const app = new Hono()
  const origin = () => `http://127.0.0.1:${port}`
  const ok = (result: unknown, more: object = {}) =>
    Response.json({ success: true, errors: [], messages: [], result, ...more })
  const fail = (status: number, code: number, message: string) =>
    Response.json({ success: false, errors: [{ code, message }], messages: [], result: null }, { status })
  const base = `/client/v4/accounts/${ACCOUNT}`

  app.use('/client/v4/*', async (context, next) => {
    if (context.req.header('authorization') !== `Bearer ${TOKEN}`) return fail(401, 10_000, 'Authentication error')
    const [, part] = /\/accounts\/\w+\/(d1|r2|workers)\b/.exec(context.req.path) ?? []
    if (part && !account.permissions.some((permission) => permission === part))
      return fail(403, 10_000, 'Authentication error')
    return await next()
  })
  app.get('/client/v4/user', () => ok({ id: 'u', email: 'operator@hookline.io' }))
  app.get('/client/v4/user/tokens/verify', () => ok({ id: 't', status: 'active' }))
  app.get('/client/v4/memberships', () => ok([{ id: 'm', account: { id: ACCOUNT, name: 'Hookline' } }]))
  app.get('/client/v4/accounts', () => ok([{ id: ACCOUNT, name: 'Hookline' }]))
  app.get('/client/v4/zones', (context) => {
    const name = context.req.query('name')
    return ok(
      account.zones
        .filter((zone) => !name || zone === name)
        .map((zone) => ({ id: zoneId(zone), name: zone, status: 'active', account: { id: ACCOUNT } })),
    )
  })

  app.get(`${base}/d1/database`, () =>
    ok(
      account.databases.map(({ uuid, name }) => ({ uuid, name, version: 'production' })),
      {
        result_info: { page: 1, per_page: 100, count: account.databases.length, total_count: account.databases.length },
      },
    ),
  )
  app.post(`${base}/d1/database`, async (context) => {
    const asked: { name: string; primary_location_hint?: string } = await context.req.json()
    if (account.databases.some(({ name }) => name === asked.name))
      return fail(400, 7502, 'A database with that name already exists')
    const uuid = `00000000-0000-4000-8000-${String(account.databases.length + 1).padStart(12, '0')}`
    account.databases.push({
      uuid,
      name: asked.name,
      location: asked.primary_location_hint,
      sqlite: new DatabaseSync(':memory:'),
    })
    return ok({ uuid, name: asked.name, version: 'production' })
  })
  const find = (id: string) => account.databases.find(({ uuid, name }) => uuid === id || name === id)
  const MISSING = [404, 7404, 'The database could not be found'] as const
  app.get(`${base}/d1/database/:id`, (context) => {
    const found = find(context.req.param('id'))
    return found ? ok({ uuid: found.uuid, name: found.name, version: 'production' }) : fail(...MISSING)
  })
  app.post(`${base}/d1/database/:id/query`, async (context) => {
    const found = find(context.req.param('id'))
    if (!found) return fail(...MISSING)
    const { sql }: { sql: string } = await context.req.json()
    if (/CREATE TRIGGER[^;]*\n/i.test(sql)) return fail(400, 7500, 'incomplete input: SQLITE_ERROR')
    return run(() =>
      ok(
        statementsOf(sql).map((one) => ({
          results: found.sqlite.prepare(one).all(),
          success: true,
          meta: { duration: 1 },
        })),
      ),
    )
  })
  app.post(`${base}/d1/database/:id/raw`, async (context) => {
    const found = find(context.req.param('id'))
    if (!found) return fail(...MISSING)
    const { sql }: { sql: string } = await context.req.json()
    if (Buffer.byteLength(sql) > MAX_STATEMENT_BYTES) return fail(400, 7500, 'statement too long: SQLITE_TOOBIG')
    return run(() => {
      account.raw++
      const statement = found.sqlite.prepare(sql)
      const columns = statement.columns().map(({ name }) => name)
      if (columns.length > 100) return fail(400, 7500, 'too many columns in result set: SQLITE_ERROR')
      const rows = statement.all().map((row) => Object.values(row))
      return ok([{ results: { columns, rows }, success: true, meta: { duration: 1 } }])
    })
  })
  app.post(`${base}/d1/database/:id/import`, async (context) => {
    const found = find(context.req.param('id'))
    if (!found) return fail(...MISSING)
    const { action, etag }: { action: string; etag: string } = await context.req.json()
    if (action === 'init')
      return ok({ success: true, upload_url: `${origin()}/upload/${etag}`, filename: `${etag}.sql` })
    const sql = uploads.get(etag)?.toString() ?? ''
    return run(() => {
      const count = importInto(found.sqlite, sql)
      const meta = { duration: 1, rows_read: 0, rows_written: count, size_after: 1 }
      const result = { num_queries: count, final_bookmark: 'b', meta }
      return ok({ success: true, status: 'complete', messages: [], at_bookmark: 'b', result })
    })
  })
  app.post(`${base}/d1/database/:id/export`, async (context) => {
    const found = find(context.req.param('id'))
    if (!found) return fail(...MISSING)
    const { dump_options }: { dump_options: { tables?: string[] } } = await context.req.json()
    const tables = dump_options.tables ?? []
    if (tables.length === 0)
      return fail(400, 7500, 'D1 Export error: cannot export databases with Virtual Tables (fts5)')
    uploads.set('export', Buffer.from(tables.map((table) => dump(found.sqlite, table)).join('')))
    const result = { filename: 'export.sql', signed_url: `${origin()}/upload/export` }
    return ok({ success: true, status: 'complete', messages: [], at_bookmark: 'b', result })
  })
  app.get(`${base}/d1/database/:id/time_travel/bookmark`, (context) =>
    find(context.req.param('id')) ? ok({ bookmark: 'b' }) : fail(...MISSING),
  )
  app.post(`${base}/d1/database/:id/time_travel/restore`, (context) =>
    find(context.req.param('id'))
      ? ok({ bookmark: 'a', previous_bookmark: 'b', message: 'restored' })
      : fail(...MISSING),
  )
  app.put('/upload/:name', async (context) => {
    const bytes = Buffer.from(await context.req.arrayBuffer())
    uploads.set(context.req.param('name'), bytes)
    return new Response(null, { headers: { etag: `"${createHash('md5').update(bytes).digest('hex')}"` } })
  })
  app.get('/upload/:name', (context) => new Response(uploads.get(context.req.param('name'))?.toString()))

  app.get(`${base}/subscriptions`, () =>
    account.plans ? ok(account.plans.map((id) => ({ rate_plan: { id } }))) : fail(403, 10_000, 'Authentication error'),
  )
  app.get(`${base}/workers/scripts`, () => ok([...account.workers.keys()].map((id) => ({ id }))))
  app.get(`${base}/r2/buckets`, () =>
    account.isR2Enabled
      ? ok({ buckets: account.buckets.map((name) => ({ name })) })
      : fail(403, 10_042, 'Please enable R2 through the Cloudflare Dashboard.'),
  )
  app.get(`${base}/r2/buckets/:name`, (context) => {
    const name = context.req.param('name')
    return account.buckets.includes(name)
      ? ok({ name, creation_date: '2026-01-01T00:00:00Z', location: 'WEUR', storage_class: 'Standard' })
      : fail(404, 10_006, 'The specified bucket does not exist.')
  })
  app.post(`${base}/r2/buckets`, async (context) => {
    const { name }: { name: string } = await context.req.json()
    account.buckets.push(name)
    return ok({ name })
  })
  app.get(`${base}/r2/buckets/:name/lifecycle`, () => ok({ rules: account.lifecycle }))
  app.put(`${base}/r2/buckets/:name/lifecycle`, async (context) => {
    const { rules }: { rules: LifecycleRule[] } = await context.req.json()
    account.lifecycle = rules
    return ok({})
  })

  const NO_WORKER = [404, 10_007, 'This Worker does not exist on your account.'] as const
  app.get(`${base}/workers/services/:name`, (context) => {
    const script = { last_deployed_from: 'wrangler', tag: 'tag', tags: [], migration_tag: 'v1' }
    if (!account.workers.has(context.req.param('name'))) return fail(404, 10_090, NO_WORKER[2])
    return ok({ default_environment: { environment: 'production', script } })
  })
  app.get(`${base}/workers/scripts/:name/deployments`, (context) =>
    account.workers.has(context.req.param('name')) ? ok({ deployments: [] }) : fail(...NO_WORKER),
  )
  app.get(`${base}/workers/scripts/:name/secrets`, (context) =>
    account.workers.has(context.req.param('name')) ? ok([]) : fail(...NO_WORKER),
  )
  const addVersion = (name: string, form: FormData) => {
    const metadata: { annotations?: unknown } = JSON.parse(String(form.get('metadata')))
    account.workers.set(name, metadata)
    const number = account.versions.length + 1
    const created = new Date(Date.UTC(2026, 0, number)).toISOString()
    const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    account.versions.push({
      id,
      number,
      annotations: metadata.annotations,
      metadata: { created_on: created, source: 'wrangler' },
    })
    return { id, number }
  }
  app.put(`${base}/workers/scripts/:name`, async (context) => {
    const name = context.req.param('name')
    account.deployed = addVersion(name, await context.req.formData()).id
    return ok({ id: name, tag: 'tag', startup_time_ms: 1, deployment_id: 'd', available_on_subdomain: false })
  })
  app.post(`${base}/workers/scripts/:name/versions`, async (context) => {
    const added = addVersion(context.req.param('name'), await context.req.formData())
    const resources = { script: { named_handlers: [] } }
    return ok({ ...added, startup_time_ms: 1, metadata: { has_preview: false }, resources })
  })
  app.get(`${base}/workers/scripts/:name/versions`, () => ok({ items: account.versions.toReversed() }))
  app.get(`${base}/workers/scripts/:name/versions/:id`, (context) => {
    const found = account.versions.find(({ id }) => id === context.req.param('id'))
    return found
      ? ok({ ...found, resources: { bindings: [], script: {}, script_runtime: {} } })
      : fail(404, 10_222, 'Version not found')
  })
  app.post(`${base}/workers/scripts/:name/deployments`, async (context) => {
    const { versions }: { versions: { version_id: string; percentage: number }[] } = await context.req.json()
    account.deployed = versions.find(({ percentage }) => percentage === 100)?.version_id
    return ok({ id: 'd' })
  })
  app.patch(`${base}/workers/scripts/:name/script-settings`, () => ok({}))
  app.get(`${base}/workers/scripts/:name/subdomain`, () => ok({ enabled: false, previews_enabled: false }))
  app.post(`${base}/workers/scripts/:name/subdomain`, () => ok({ enabled: false, previews_enabled: false }))
  app.get(`${base}/workers/scripts/:name/settings`, () => ok({ bindings: [] }))
  app.get(`${base}/workers/workers/:name`, (context) =>
    ok({
      id: context.req.param('name'),
      name: context.req.param('name'),
      subdomain: { enabled: false, previews_enabled: false },
    }),
  )
  app.post(`${base}/workers/scripts/:name/domains/changeset`, () =>
    ok({ added: [], removed: [], updated: [], conflicting: [] }),
  )
  app.put(`${base}/workers/scripts/:name/domains/records`, async (context) => {
    const { origins }: { origins: { hostname: string }[] } = await context.req.json()
    const strange = origins.find(
      ({ hostname }) => !account.zones.some((zone) => hostname === zone || hostname.endsWith(`.${zone}`)),
    )
    return strange ? fail(400, 100_114, 'could not find zone for hostname') : ok([])
  })
  app.put(`${base}/workers/scripts/:name/schedules`, () => ok({ schedules: [] }))
  app.put(`${base}/workers/scripts/:name/routes`, () => ok([]))
  const findZone = (id: string) => {
    const name = account.zones.find((zone) => zoneId(zone) === id)
    if (name === undefined) return undefined
    const found = zones.get(name) ?? newZone()
    zones.set(name, found)
    return found
  }
  app.get('/client/v4/zones/:zone/workers/routes', () =>
    account.permissions.includes('zones') ? ok([]) : fail(403, 10_000, 'Authentication error'),
  )

  app.route('/client/v4/zones', fakeZones(findZone, { ok, fail }))

  app.all('/s3/*', (context) => answerS3(account, context.req.raw))

  app.notFound((context) => {
    account.unknown.push(`${context.req.method} ${context.req.path}`)
    return fail(404, 7003, `Could not route to ${context.req.path}`)
  })

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(Buffer.from(part))
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
    const init = { method: request.method ?? 'GET', headers, ...(hasBody ? { body: Buffer.concat(parts) } : {}) }
    const answer = await app.fetch(new Request(`${origin()}${request.url}`, init))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  const port = await listen(server)
  /** What a run of Wrangler needs to ask this API. */
  const environment = {
    CLOUDFLARE_API_BASE_URL: `${origin()}/client/v4`,
    CLOUDFLARE_API_TOKEN: TOKEN,
    CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
    AWS_ENDPOINT_URL_S3: `${origin()}/s3`,
    WRANGLER_SEND_METRICS: 'false',
  }
  return { account, zones, environment, close: () => closeServer(server) }

  function run(act: () => Response): Response {
    try {
      return act()
    } catch (error) {
      return fail(400, 7500, `${error instanceof Error ? error.message : String(error)}: SQLITE_ERROR`)
    }
  }
}

/** As D1's query endpoint does: at each semicolon outside of a string. */
function statementsOf(sql: string): string[] {
  const statements = sql.match(/(?:'[^']*'|[^';])+/g) ?? []
  return statements.map((one) => one.trim()).filter((one) => one !== '')
}

/** All statements of a file or, where one fails, none. Returns how many there are. */
function importInto(db: DatabaseSync, sql: string): number {
  const starts = sql.split(/;\n(?=(?:INSERT|UPDATE|DELETE|CREATE|DROP|PRAGMA)\b)/)
  if (starts.some((one) => Buffer.byteLength(one) > MAX_STATEMENT_BYTES))
    throw new Error('statement too long: SQLITE_TOOBIG')
  db.exec('BEGIN')
  try {
    db.exec(sql)
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
  return starts.length
}

/** The rows of a table as D1 exports them without the schema. */
function dump(db: DatabaseSync, table: string): string {
  const literal = (value: unknown) => {
    if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? 'NULL')
  }
  const rows = db.prepare(`SELECT * FROM "${table}"`).all()
  const names = (row: object) => Object.keys(row).map((name) => `"${name}"`)
  return rows
    .map((row) => `INSERT INTO "${table}" (${names(row)}) VALUES(${Object.values(row).map(literal)});\n`)
    .join('')
}

/** R2's S3 API: lists of a thousand at most, reads and writes, signed with the token (signature version 4). */
async function answerS3(account: Account, request: Request): Promise<Response> {
  const fail = (status: number, code: string) =>
    new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`, { status })
  const secretAccessKey = createHash('sha256').update(TOKEN).digest('hex')
  if (!(await isSigned(request, { accessKeyId: 't', secretAccessKey, region: 'auto' })))
    return fail(403, 'SignatureDoesNotMatch')
  if (!account.permissions.includes('r2')) return fail(403, 'AccessDenied')
  const { pathname, searchParams } = new URL(request.url)
  const [, , name = '', ...rest] = pathname.split('/')
  if (!account.buckets.includes(name)) return fail(404, 'NoSuchBucket')
  const objects = account.objects.get(name) ?? new Map<string, StoredObject>()
  account.objects.set(name, objects)
  const key = rest.map(decodeURIComponent).join('/')
  if (key === '' && searchParams.get('list-type') === '2') return list(objects, searchParams)
  if (request.method === 'PUT') {
    const bytes = Buffer.from(await request.arrayBuffer())
    if (request.headers.get('content-length') !== String(bytes.length)) return fail(411, 'MissingContentLength')
    const headers = [...request.headers].filter(([header]) =>
      /^(?:content-type|content-encoding|cache-control|x-amz-meta-.*)$/.test(header),
    )
    objects.set(key, { bytes, headers: Object.fromEntries(headers) })
    return new Response(null, { headers: { etag: `"${md5(bytes)}"` } })
  }
  const found = objects.get(key)
  if (!found) return fail(404, 'NoSuchKey')
  return new Response(new Uint8Array(found.bytes), { headers: { ...found.headers, etag: `"${md5(found.bytes)}"` } })
}

function list(objects: Map<string, StoredObject>, query: URLSearchParams): Response {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter')]
  const after = query.get('continuation-token') ?? ''
  const rolled = (key: string) => {
    const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length)
    return end < 0 ? key : key.slice(0, end + 1)
  }
  const names = [...new Set([...objects.keys()].filter((key) => key.startsWith(prefix)).map(rolled))].sort()
  const rest = names.filter((name) => name > after)
  const page = rest.slice(0, MOST_LISTED)
  const entries = page.map((name) => {
    const bytes = objects.get(name)?.bytes
    if (!bytes) return `<CommonPrefixes><Prefix>${encodeURIComponent(name)}</Prefix></CommonPrefixes>`
    return `<Contents><Key>${encodeURIComponent(name)}</Key><ETag>&quot;${md5(bytes)}&quot;</ETag></Contents>`
  })
  if (page.length < rest.length) entries.push(`<NextContinuationToken>${page.at(-1)}</NextContinuationToken>`)
  return new Response(`<?xml version="1.0"?><ListBucketResult>${entries.join('')}</ListBucketResult>`)
}

/** Of a zone of the fake. */
export function zoneId(name: string): string {
  return md5(Buffer.from(name))
}

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex')
}
