import { readCapped } from '../../../platform/flow/read-capped.ts'
import { isRecord } from '../../../platform/http/is-record.ts'

/** A custom hostname of Cloudflare for SaaS: what makes requests for a foreign host reach this Worker. */
export interface CustomHostname {
  id: string
  /** `active` once host and certificate are; before and otherwise what Cloudflare calls it. */
  status: string
  /** What Cloudflare says of the certificate alone. */
  certificate: string
}

export interface CloudflareZone {
  apiToken: string
  zoneId: string
}

/** Cloudflare refused this host for good; the message is its own. */
export class HostnameRefusedError extends Error {
  override name = 'HostnameRefusedError'
}

const API = 'https://api.cloudflare.com/client/v4'
const TIMEOUT = 10_000
const MAX_BYTES = 1024 * 1024

/**
 * Makes a custom hostname, of a host that has none. The certificate is proven over HTTP, for which the host must point
 * here.
 * @throws {HostnameRefusedError} and {Error} when the call to Cloudflare failed.
 */
export async function makeHostname(
  zone: CloudflareZone,
  host: string,
  fetcher: typeof fetch = fetch,
): Promise<CustomHostname> {
  const body = { hostname: host, ssl: { method: 'http', type: 'dv', settings: { min_tls_version: '1.2' } } }
  return toHostname(await ask(zone, 'POST', '', fetcher, body))
}

/** What became of a custom hostname; `undefined` when it is gone. @throws {Error} */
export async function findHostname(
  zone: CloudflareZone,
  host: string,
  fetcher: typeof fetch = fetch,
): Promise<CustomHostname | undefined> {
  const found = await ask(zone, 'GET', `?hostname=${encodeURIComponent(host)}`, fetcher)
  if (!Array.isArray(found)) throw new Error('Cloudflare answered with no list')
  const match: unknown = found.find((entry: unknown) => isRecord(entry) && entry.hostname === host)
  return match === undefined ? undefined : toHostname(match)
}

/** Removes a custom hostname; one that is gone already is fine. @throws {Error} */
export async function removeHostname(zone: CloudflareZone, id: string, fetcher: typeof fetch = fetch): Promise<void> {
  await ask(zone, 'DELETE', `/${encodeURIComponent(id)}`, fetcher)
}

async function ask(
  { apiToken, zoneId }: CloudflareZone,
  method: string,
  path: string,
  fetcher: typeof fetch,
  body?: unknown,
): Promise<unknown> {
  const response = await fetcher(`${API}/zones/${encodeURIComponent(zoneId)}/custom_hostnames${path}`, {
    method,
    headers: { Authorization: `Bearer ${apiToken}`, 'Content-Type': 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = new TextDecoder().decode(await readCapped(response, MAX_BYTES, tooLong))
  if (method === 'DELETE' && response.status === 404) return undefined
  if (response.ok) return parseResult(text)
  const refused = method === 'POST' && [400, 409, 422].includes(response.status)
  const message = `Cloudflare answered ${response.status}: ${errorText(text)}`
  throw refused ? new HostnameRefusedError(message) : new Error(message)
}

function tooLong(): Error {
  return new Error(`Cloudflare's answer is longer than ${MAX_BYTES} bytes`)
}

function parseResult(text: string): unknown {
  const envelope: unknown = JSON.parse(text)
  if (!isRecord(envelope)) throw new Error('Cloudflare answered with no object')
  return envelope.result
}

function errorText(text: string): string {
  try {
    const envelope: unknown = JSON.parse(text)
    const errors: unknown = isRecord(envelope) ? envelope.errors : undefined
    const messages = (Array.isArray(errors) ? errors : []).map((error: unknown) =>
      isRecord(error) ? String(error.message) : '',
    )
    return messages.join('; ').slice(0, 300)
  } catch {
    return 'no JSON'
  }
}

function toHostname(result: unknown): CustomHostname {
  if (!isRecord(result) || typeof result.id !== 'string') throw new Error('Cloudflare answered with no hostname')
  const status = typeof result.status === 'string' ? result.status : 'pending'
  const ofCertificate = isRecord(result.ssl) ? result.ssl.status : undefined
  const certificate = typeof ofCertificate === 'string' ? ofCertificate : 'initializing'
  return { id: result.id, status: status === 'active' && certificate !== 'active' ? 'pending' : status, certificate }
}
