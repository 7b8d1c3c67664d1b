/** Cloudflare's custom hostnames of one zone, as its API answers; `down` while it does not. */
export interface ScriptedZone {
  hostnames: Map<string, { id: string; status: string; ssl: { status: string } }>
  down: boolean
  /** Hosts that it was asked about, in order. */
  asked: string[]
  answer(request: Request): Promise<Response>
}

export const CF_SETTINGS = { CF_API_TOKEN: 'cf-token', CF_ZONE_ID: 'zone-1' } as const

export function scriptedZone(): ScriptedZone {
  const refused = (status: number, message: string) =>
    Response.json({ success: false, errors: [{ code: 1000, message }], result: null }, { status })
  let serial = 0
  const zone: ScriptedZone = {
    hostnames: new Map(),
    down: false,
    asked: [],
    async answer(request) {
      if (zone.down) return refused(500, 'internal')
      if (request.headers.get('Authorization') !== 'Bearer cf-token') return refused(403, 'authentication')
      const url = new URL(request.url)
      const [, , , zoneId, , id] = url.pathname.split('/').slice(1)
      if (zoneId !== 'zone-1') return refused(404, 'zone')
      const entries = [...zone.hostnames].map(([hostname, entry]) => ({ hostname, ...entry }))
      if (request.method === 'GET') {
        const asked = url.searchParams.get('hostname') ?? ''
        zone.asked.push(asked)
        return Response.json({ success: true, result: entries.filter(({ hostname }) => hostname === asked) })
      }
      if (request.method === 'DELETE') {
        const found = entries.find((entry) => entry.id === id)
        if (!found) return refused(404, 'not found')
        zone.hostnames.delete(found.hostname)
        return Response.json({ id })
      }
      const { hostname, ssl } = await request.json<{ hostname: string; ssl: { method: string; type: string } }>()
      if (ssl.method !== 'http' || ssl.type !== 'dv') return refused(400, 'ssl')
      if (hostname.endsWith('.blocked.example')) return refused(409, 'This hostname is blocked.')
      serial += 1
      const entry = { id: `id-${serial}`, status: 'pending', ssl: { status: 'initializing' } }
      zone.hostnames.set(hostname, entry)
      return Response.json({ success: true, result: { hostname, ...entry } }, { status: 201 })
    },
  }
  return zone
}
