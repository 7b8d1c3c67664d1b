import { createServer } from 'node:http'
import { listen } from './loopback-server.ts'

const TYPES: Record<string, number> = { A: 1, CNAME: 5, TXT: 16, AAAA: 28, CAA: 257 }

/** A resolver of DNS over HTTPS in its JSON form, on this machine. */
export interface DohServer {
  url: string
  /** Records by name, each a type and its data; may change at any time. */
  zone: Record<string, [type: string, data: string][]>
  close(): void
}

export async function startDohServer(host = '127.0.0.1'): Promise<DohServer> {
  const doh: DohServer = { url: '', zone: {}, close: () => server.close() }
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const [name, type] = [searchParams.get('name') ?? '', searchParams.get('type') ?? '']
    const records = doh.zone[name] ?? []
    const Answer = records
      .filter(([kind]) => kind === type)
      .map(([kind, data]) => ({ name, type: TYPES[kind], TTL: 30, data }))
    response.setHeader('Content-Type', 'application/dns-json')
    response.end(JSON.stringify({ Status: records.length > 0 ? 0 : 3, Answer }))
  })
  doh.url = `http://${host}:${await listen(server, host)}/dns-query`
  return doh
}
