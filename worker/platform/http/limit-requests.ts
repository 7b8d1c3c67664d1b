import type { Context, MiddlewareHandler } from 'hono'
import type { AppEnv } from './app-env.ts'
import { tooManyRequests } from './errors.ts'
import { type CountedLimit, RATE_LIMITS, type RateLimitName } from './rate-limits.ts'

/**
 * The address a request counts against. Only Cloudflare's own header is believed; an IPv6 client owns a whole /64.
 * `undefined` without the header, outside of Cloudflare: in a count that all callers share, one could lock out the others.
 */
export function clientAddress(request: Request): string | undefined {
  const address = request.headers.get('CF-Connecting-IP') ?? undefined
  return address?.includes(':') ? ipv6Prefix(address) : address
}

/** The part of a request's context that the counting of limits needs. */
interface Counting {
  req: { raw: Request }
  get(name: 'counted'): CountedLimit[]
}

/** Whoever sent a request, to what counts it. */
export interface Client {
  /** {@link clientAddress}. */
  address: string | undefined
  /** Has the answer say what is left. */
  tell(limit: CountedLimit): void
}

/** Who sent a request. */
export function clientOf(c: Counting): Client {
  return { address: clientAddress(c.req.raw), tell: (limit) => tellLimit(c, limit) }
}

/** Has the answer say, by `RateLimit`, what is left of a limit that the database counts. */
export function tellLimit(c: Pick<Counting, 'get'>, limit: CountedLimit): void {
  c.get('counted').push(limit)
}

function ipv6Prefix(address: string): string {
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0')
  return [...groups, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** The network that a {@link clientAddress} is in: the first 24 bits of an IPv4 address, 48 of an IPv6 address. */
export function networkOf(client: string): string {
  const separator = client.includes(':') ? ':' : '.'
  return client.split(separator).slice(0, 3).join(separator)
}

function kindOf(method: string): RateLimitName {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write'
}

/**
 * Load shed per client address: reads and writes are counted apart, in each data centre. What is read by POST says so.
 * @throws {AppError} 429.
 */
export async function limitRequest(c: Context<AppEnv>, kind = kindOf(c.req.method)): Promise<void> {
  const limiter = kind === 'read' ? c.env.READ_LIMIT : c.env.WRITE_LIMIT
  const key = clientAddress(c.req.raw)
  if (key === undefined) return
  c.set('limit', kind)
  const { success } = await limiter.limit({ key })
  if (!success) throw tooManyRequests(RATE_LIMITS[kind].seconds, undefined, kind)
}

/** {@link limitRequest} as middleware, for everything but what memory answers. */
export function limitRequests(): MiddlewareHandler<AppEnv> {
  return async function limitRequests(c, next) {
    await limitRequest(c)
    await next()
  }
}
