import type { Context, MiddlewareHandler } from 'hono'
import { now } from '../clock.ts'
import { configOrNothing } from '../config/read-config.ts'
import type { AppEnv } from './app-env.ts'
import { addressSource, clientAddress } from './client-address.ts'
import { tooManyRequests } from './errors.ts'
import { type CountedLimit, RATE_LIMITS, type RateLimitName } from './rate-limits.ts'

/** The part of a request's context that the counting of limits needs. */
interface Counting {
  req: { raw: Request }
  env: AppEnv['Bindings']
  get(name: 'counted'): CountedLimit[]
}

/** Whoever sent a request, to what counts it. */
export interface Client {
  /** {@link clientAddress}. */
  address: string | undefined
  /** The header `Hookline-Proof`, unchecked. */
  proof: string | undefined
  /** Has the answer say what is left. */
  tell(limit: CountedLimit): void
}

/** Who sent a request. */
export function clientOf(c: Counting): Client {
  const { headers } = c.req.raw
  return {
    address: addressOf(c),
    proof: headers.get('Hookline-Proof') ?? undefined,
    tell: (limit) => setRateLimitHeaders(c, limit),
  }
}

/** The address that a request counts against; {@link clientAddress}. */
export function addressOf(c: Pick<Counting, 'req' | 'env'>): string | undefined {
  return clientAddress(c.req.raw, addressSource(c.env, configOrNothing(c.env)), now())
}

/** Has the answer say, by `RateLimit`, what is left of a limit that the database counts. */
export function setRateLimitHeaders(c: { get(name: 'counted'): CountedLimit[] }, limit: CountedLimit): void {
  c.get('counted').push(limit)
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
  const key = addressOf(c)
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
