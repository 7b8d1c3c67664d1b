import crypto from 'node:crypto'
import type { Config } from '../config/config.ts'
import { frontSignature } from './sign-front.ts'

/** The allowed difference between the clocks of the proxy in front and of this service; milliseconds. */
const FRONT_CLOCK_SKEW = 300_000

/** The groups of a /64. Each is written with four digits, so that a text prefix is a network prefix. */
const PREFIX_GROUPS = 4

/** Which sources of a client's address can be trusted. */
export interface AddressSource {
  frontKey: Config['frontKey']
  /** There Cloudflare sets `CF-Connecting-IP`; elsewhere any client can send it. */
  onCloudflare: boolean
}

/**
 * The client address that a request counts against; of IPv6 its /64, which one client owns. It is the address that a
 * proxy in front signed with `FRONT_KEY`, on Cloudflare `CF-Connecting-IP`, elsewhere that of the socket. `undefined`
 * where the socket's is not public, as behind a proxy on this machine: one client could use up a limit that all share;
 * unless `cf.clientIsNamed`, which server/workers/entry sets where a trusted proxy named that address.
 * `now` in milliseconds.
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

/** The public address of the socket's peer, which workerd reports as `address:port`, or one that a proxy named. */
function socketAddress(request: Request): string | undefined {
  const peer: unknown = request.cf?.clientIp
  if (typeof peer !== 'string') return undefined
  const [, six, four] = /^(?:\[([\da-fA-F.:]+)\]|([\d.]+))(?::\d+)?$/.exec(peer) ?? []
  const address = six ?? four
  return address !== undefined && isLocal(address) && request.cf?.clientIsNamed !== true ? undefined : address
}

/** Whether an address is loopback, private or link-local (RFC 1918, 4193, 3927, 4291, 6598). */
function isLocal(address: string): boolean {
  const four = address.replace(/^::ffff:/i, '')
  if (!four.includes(':')) {
    return /^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      four,
    )
  }
  return /^(?:::1?$|f[cd]|fe[89ab])/i.test(address)
}

/** The network of a {@link clientAddress}: the first 24 bits of an IPv4 address, 48 of an IPv6 address. */
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
