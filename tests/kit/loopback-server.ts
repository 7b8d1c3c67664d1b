import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'

/** Has a server listen at a free port of this machine, which is returned. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, host), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** Cuts the connections of a server, and closes it. */
export async function closeServer(server: HttpServer): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

/** A receiver of webhooks, and what came to it. */
export async function startReceiver() {
  const received: { body: string; headers: Record<string, string> }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += String(part)
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    received.push({ body, headers: Object.fromEntries(headers) })
    response.end()
  })
  return { url: `http://127.0.0.1:${await listen(server)}/hook`, received, close: () => closeServer(server) }
}
