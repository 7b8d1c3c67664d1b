import { type IncomingHttpHeaders, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { TLSSocket } from 'node:tls'
import { isRecord } from '../../worker/platform/http/is-record.ts'

const TIMEOUT_MS = 20_000
const MAX_BODY_BYTES = 32 * 1024 * 1024

/** A response as it came: nothing is decoded, and no redirect is followed. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** Until when the certificate of the host is valid, by https; milliseconds. */
  certificateUntil: number | undefined
}

export interface Request {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
}

export type Ask = (url: URL, request?: Request) => Promise<Answer>

/** How hosts are reached, so that a deployment can be imitated on this machine. */
export interface Network {
  /** Where a host listens in place of where its name leads. */
  place?: (url: URL) => { host: string; port: number }
  /** Certificates that are trusted in place of the usual ones (PEM). */
  ca?: string[]
}

/** A host did not answer; the message is a clause without a full stop. */
export class UnreachableError extends Error {
  override name = 'UnreachableError'
}

/** What the platform's `fetch` can't do: responses undecoded, certificates, hosts below `localhost`. */
export function asker({ place = placeOf, ca }: Network = {}): Ask {
  return async (url, { method = 'GET', headers = {}, body } = {}) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const secure = url.protocol === 'https:' ? { servername: url.hostname, ...(ca === undefined ? {} : { ca }) } : {}
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const outgoing = send(
      {
        ...place(url),
        ...secure,
        method,
        path: url.pathname + url.search,
        headers: {
          Host: url.host,
          'Accept-Encoding': 'identity',
          'User-Agent': 'Mozilla/5.0 (hookline-probe)',
          ...headers,
        },
        agent: false,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
      async (response) => {
        const { socket } = response
        const until = socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : undefined
        try {
          const parts: Buffer[] = []
          let size = 0
          for await (const part of response) {
            if (!Buffer.isBuffer(part)) continue
            size += part.length
            if (size > MAX_BODY_BYTES) throw new UnreachableError(`${url.host} sends more than 32 MiB`)
            parts.push(part)
          }
          const { statusCode: status = 0, headers } = response
          resolve({ status, headers, body: Buffer.concat(parts), certificateUntil: until })
        } catch (error) {
          outgoing.destroy()
          reject(unreachable(url, error))
        }
      },
    )
    outgoing.on('error', (error) => reject(unreachable(url, error)))
    outgoing.end(body)
    return await promise
  }
}

/** Whether a host is this machine by its name (RFC 6761). */
export function isThisMachine({ hostname }: URL): boolean {
  return hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost' || hostname.endsWith('.localhost')
}

/** Names below `localhost` are this machine, which few resolvers know. */
function placeOf(url: URL): { host: string; port: number } {
  const host = url.hostname.endsWith('localhost') ? '127.0.0.1' : url.hostname.replace(/^\[(.*)\]$/, '$1')
  return { host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) }
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'has no DNS record',
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'ends the connection',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for other names',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that no authority has signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate of an authority that nobody knows',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'has no certificate',
  ABORT_ERR: `does not answer within ${TIMEOUT_MS / 1000} s`,
}

function unreachable(url: URL, error: unknown): UnreachableError {
  if (error instanceof UnreachableError) return error
  const code = isRecord(error) ? String(error.code) : ''
  const text = error instanceof Error ? error.message : String(error)
  return new UnreachableError(`${url.host} ${CAUSES[code] ?? `is not reached: ${text}`}`)
}
