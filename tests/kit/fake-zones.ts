import { type Context, Hono } from 'hono'

/** What a token may do in a zone. */
type ZonePermission = 'dns' | 'settings' | 'certificates' | 'bots'

/** A zone of the fake API: a test looks at it and changes it. */
export interface FakeZone {
  records: { type: string; name: string; content: string; proxied: boolean }[]
  /** Values of the switches; what is not here the zone's plan does not have. */
  settings: Record<string, string>
  /** Switches that the plan shows and nobody can change. */
  fixed: string[]
  /** The hosts of each certificate. */
  certificates: string[][]
  hasAdvancedCertificates: boolean
  bots: Record<string, unknown>
  fallback: string | undefined
  permissions: ZonePermission[]
  /** Requests that changed something. */
  changes: string[]
}

/** A zone as it is where nobody has changed anything, on the free plan. */
export function newZone(): FakeZone {
  return {
    records: [],
    settings: {
      always_use_https: 'off',
      automatic_https_rewrites: 'on',
      email_obfuscation: 'on',
      rocket_loader: 'off',
      mirage: 'off',
      polish: 'off',
      fonts: 'off',
    },
    fixed: ['mirage', 'polish'],
    certificates: [],
    hasAdvancedCertificates: true,
    bots: { enable_js: true, fight_mode: true },
    fallback: undefined,
    permissions: ['dns', 'settings', 'certificates', 'bots'],
    changes: [],
  }
}

type Answer = (context: Context, zone: FakeZone) => Response | Promise<Response>

/** The part of Cloudflare's API below `/zones/<id>`, by the documents of it. `find` has a zone by its id. */
export function fakeZones(
  find: (id: string) => FakeZone | undefined,
  {
    ok,
    fail,
  }: { ok: (result: unknown) => Response; fail: (status: number, code: number, message: string) => Response },
): Hono {
  const app = new Hono()
  const on = (method: string, path: string, permission: ZonePermission, answer: Answer) =>
    app.on(method, `/:zone${path}`, (context) => {
      const zone = find(context.req.param('zone') ?? '')
      if (!zone?.permissions.includes(permission)) return fail(403, 10_000, 'Authentication error')
      if (method !== 'GET') zone.changes.push(`${method} ${path}`)
      return answer(context, zone)
    })

  on('GET', '/dns_records', 'dns', ({ req }, { records }) =>
    ok(records.filter(({ name }) => name === req.query('name'))),
  )
  on('POST', '/dns_records', 'dns', async ({ req }, { records }) => {
    const record: FakeZone['records'][number] = await req.json()
    if (records.some(({ name, type }) => name === record.name && type === record.type))
      return fail(400, 81_058, 'An identical record already exists.')
    records.push(record)
    return ok(record)
  })
  on('GET', '/settings/:id', 'settings', ({ req }, { settings, fixed }) => {
    const id = req.param('id') ?? ''
    const value = settings[id]
    return value === undefined
      ? fail(400, 1003, 'Undefined zone setting')
      : ok({ id, value, editable: !fixed.includes(id) })
  })
  on('PATCH', '/settings/:id', 'settings', async ({ req }, { settings, fixed }) => {
    const id = req.param('id') ?? ''
    if (fixed.includes(id)) return fail(400, 1006, 'Not allowed to edit setting')
    const { value }: { value: string } = await req.json()
    settings[id] = value
    return ok({ id, value })
  })
  on('GET', '/ssl/certificate_packs', 'certificates', (_, { certificates }) =>
    ok(certificates.map((hosts) => ({ hosts }))),
  )
  on('POST', '/ssl/certificate_packs/order', 'certificates', async ({ req }, zone) => {
    const order: { type: string; hosts: string[] } = await req.json()
    if (!zone.hasAdvancedCertificates)
      return fail(400, 1450, 'Advanced Certificate Manager is required to order this certificate.')
    if (
      order.type !== 'advanced' ||
      order.hosts.some((host) => host.startsWith('*') && order.hosts[0]?.startsWith('*'))
    )
      return fail(400, 1400, 'The zone apex is missing.')
    zone.certificates.push(order.hosts)
    return ok({ hosts: order.hosts, status: 'initializing' })
  })
  on('GET', '/custom_hostnames/fallback_origin', 'certificates', (_, { fallback }) =>
    fallback === undefined ? fail(404, 1551, 'No fallback origin') : ok({ origin: fallback }),
  )
  on('PUT', '/custom_hostnames/fallback_origin', 'certificates', async ({ req }, zone) => {
    const { origin }: { origin: string } = await req.json()
    zone.fallback = origin
    return ok({ origin })
  })
  on('GET', '/bot_management', 'bots', (_, { bots }) => ok(bots))
  on('PUT', '/bot_management', 'bots', async ({ req }, zone) => {
    const wanted: Record<string, unknown> = await req.json()
    const foreign = Object.keys(wanted).filter((name) => !(name in zone.bots))
    if (foreign.length > 0) return fail(400, 1000, `${foreign.join(', ')} is not of the plan of this zone`)
    Object.assign(zone.bots, wanted)
    return ok(zone.bots)
  })
  return app
}
