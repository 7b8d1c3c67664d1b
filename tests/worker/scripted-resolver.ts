/** Record types that it answers, by number. */
const TYPES = { A: 1, CNAME: 5, TXT: 16, AAAA: 28, CAA: 257 } as const

/** The records of a zone by name; a time to live of 300 s where none is given. */
export type Zone = Record<string, [type: keyof typeof TYPES, data: string, ttl?: number][] | 'SERVFAIL'>

export const DOH_URL = 'https://resolver.example/dns-query'

export interface ScriptedResolver {
  zone: Zone
  silent: boolean
  asked: string[]
  fetch: typeof fetch
}

/** A resolver of one zone, which may change, or fall silent; it notes what it is asked. */
export function scriptedResolver(zone: Zone): ScriptedResolver {
  const resolver: ScriptedResolver = {
    zone,
    silent: false,
    asked: [],
    fetch: async (input) => {
      const { searchParams } = new URL(String(input))
      const [name, type] = [searchParams.get('name') ?? '', searchParams.get('type')]
      resolver.asked.push(`${type} ${name}`)
      if (resolver.silent) throw new TypeError('connection refused')
      const records = resolver.zone[name] ?? []
      if (records === 'SERVFAIL') return Response.json({ Status: 2 })
      const Answer = records
        .filter(([kind]) => kind === type)
        .map(([kind, data, TTL = 300]) => ({ name, type: TYPES[kind], TTL, data }))
      return Response.json({ Status: records.length > 0 ? 0 : 3, Answer })
    },
  }
  return resolver
}
