import { lookup } from 'node:dns'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'

/** The response of a host. */
export interface HostAnswer {
  status: number
  /** The CID of the response according to the host (path gateway specification, `X-Ipfs-Roots`). */
  root: string | undefined
  bytes: Uint8Array
}

const TIMEOUT_MS = 30_000

/** Names below `localhost` are this machine (RFC 6761, 6.3); not every resolver implements that. */
const lookupLocally: LookupFunction = (hostname, options, callback) => {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) {
    if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }])
    else callback(null, '127.0.0.1', 4)
  } else lookup(hostname, options, callback)
}

/** The response of a host to a visitor, without credentials and bypassing caches. At most `maxBytes` are read. */
export function fetchHost(url: URL, maxBytes: number, signal: AbortSignal): Promise<HostAnswer> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const headers = { 'Cache-Control': 'no-cache', Accept: '*/*', 'Accept-Encoding': 'identity' }
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      { headers, lookup: lookupLocally, signal, timeout: TIMEOUT_MS, agent: false },
      (response) => {
        const parts: Buffer[] = []
        let length = 0
        response.on('error', reject)
        response.on('data', (part: Buffer) => {
          length += part.length
          if (length > maxBytes) response.destroy(new Error(`${url.host} sent more than ${maxBytes} bytes.`))
          else parts.push(part)
        })
        response.on('end', () => {
          const roots = response.headers['x-ipfs-roots']
          const root = (Array.isArray(roots) ? roots[0] : roots)?.split(',')[0]?.trim()
          resolve({ status: response.statusCode ?? 0, root, bytes: Buffer.concat(parts) })
        })
      },
    )
    request.on('timeout', () => request.destroy(new Error(`${url.host} sent nothing for ${TIMEOUT_MS / 1000} s.`)))
    request.on('error', reject)
    request.end()
  })
}
