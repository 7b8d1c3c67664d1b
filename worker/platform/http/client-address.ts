import crypto from 'node:crypto'
import type { Env } from '../bindings.ts'
import type { Config } from '../config/config.ts'
import { frontSignature } from './sign-front.ts'

/** How far apart the clocks of a front and of this service may be; milliseconds. */
const FRONT_CLOCK_SKEW = 300_000

/** The groups of a /64, each of four digits: then the text of a shorter prefix begins all of its own. */
const PREFIX_GROUPS = 4

/** Where the address of a client is read. */
export interface AddressSource {
  frontKey: Config['frontKey']
  /** `CF-Connecting-IP` is Cloudflare's own there; anywhere else any client can send it. */
  onCloudflare: boolean
}

/** {@link AddressSource} of a Worker: the way out to public addresses is bound beside Cloudflare only. */
export function addressSource(
  env: Pick<Env, 'PUBLIC_FETCH'>,
  config: Pick<Config, 'frontKey'> | undefined,
): AddressSource {
  return { frontKey: config?.frontKey, onCloudflare: env.PUBLIC_FETCH === undefined }
}

/**
 * The address that a request counts against, of IPv6 its /64, which one client owns: what a front signed with `FRONT_KEY`,
 * on Cloudflare `CF-Connecting-IP`, elsewhere the address of the socket. `undefined` where that is none of its own, as
 * behind a proxy on this machine: in a count that all callers share, one could lock out the others. `now` in milliseconds.
 */
export function clientAddress(request: Request, source: AddressSource, now: number): string | undefined {
  const signed = source.frontKey && readFront(request.headers.get('Hookline-Client-IP'), source.frontKey, now)
  const address =
    signed ?? (source.onCloudflare ? request.headers.get('CF-Connecting-IP') : socketAddress(request)) ?? undefined
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address ?? '') ?? []
  if (mapped !== undefined) return mapped
  return address?.includes(':') ? ipv6Prefix(address) : address
}

function readFront(header: string | null, key: Uint8Array, now: number): string | undefined {
  const [, signed = '', address, seconds, signature = ''] =
    /^(([\da-fA-F.:]{2,45});(\d{1,12}));([\w-]{43})$/.exec(header ?? '') ?? []
  if (address === undefined || Math.abs(now - Number(seconds) * 1000) > FRONT_CLOCK_SKEW) return undefined
  return crypto.timingSafeEqual(frontSignature(signed, key), Buffer.from(signature, 'base64url')) ? address : undefined
}

/** Where workerd says who is at the other end of the socket, as `address:port`; nothing for an address that is not public. */
function socketAddress(request: Request): string | undefined {
  const peer: unknown = request.cf?.clientIp
  if (typeof peer !== 'string') return undefined
  const [, six, four] = /^(?:\[([\da-fA-F.:]+)\]|([\d.]+))(?::\d+)?$/.exec(peer) ?? []
  const address = six ?? four
  return address === undefined || isLocal(address) ? undefined : address
}

/** Loopback, private and link-local addresses (RFC 1918, 4193, 3927, 4291, 6598): a proxy, or this machine. */
function isLocal(address: string): boolean {
  const four = address.replace(/^::ffff:/i, '')
  if (!four.includes(':')) {
    return /^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      four,
    )
  }
  return /^(?:::1?$|f[cd]|fe[89ab])/i.test(address)
}

/** The network that a {@link clientAddress} is in: the first 24 bits of an IPv4 address, 48 of an IPv6 address. */
export function networkOf(client: string): string {
  const separator = client.includes(':') ? ':' : '.'
  return client.split(separator).slice(0, 3).join(separator)
}

function ipv6Prefix(address: string): string {
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0')
  return [...groups, ...zeros, ...after]
    .slice(0, PREFIX_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16).padStart(4, '0'))
    .join(':')
}
