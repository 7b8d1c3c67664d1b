import { request as sendHttp } from 'node:http'
import type { HttpRequest } from './load/load-generator.ts'

/** A response as received: header names in lower case, the body still encoded. */
export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Headers of the connection, or that the server derives from the body. */
const OF_THE_WIRE = new Set(['connection', 'keep-alive', 'content-length', 'transfer-encoding', 'date'])

/** Sends one request and decodes nothing. */
export function rawRequest(port: number, { method, path, headers, body }: HttpRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = sendHttp({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        const kept = Object.entries(response.headers).filter(([name]) => !OF_THE_WIRE.has(name))
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
          body: Buffer.concat(parts),
        })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
