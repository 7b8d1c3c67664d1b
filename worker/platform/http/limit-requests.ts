import type { Context, MiddlewareHandler } from 'hono'
import { now } from '../clock.ts'
import { configOrNothing } from '../config/read-config.ts'
import type { AppEnv } from './app-env.ts'
import { clientAddress } from './client-address.ts'
import { tooManyRequests } from './errors.ts'
import { type CountedLimit, RATE_LIMITS, type RateLimitName } from './rate-limits.ts'

/** The part of a request's context that limits need. */
interface Counting {
  req: { raw: Request }
  env: AppEnv['Bindings']
  get(name: 'counted'): CountedLimit[]
}

/** The sender of a request, as limits see it. */
export interface Client {
  /** {@link clientAddress}. */
  address: string | undefined
  /** The header `Hookline-Proof`, unchecked. */
  proof: string | undefined
  /** Adds the headers of a limit to the answer. */
  tell(limit: CountedLimit): void
}

/** The sender of a request. */
export function clientOf(c: Counting): Client {
  const { headers } = c.req.raw
  return {
    address: addressOf(c),
    proof: headers.get('Hookline-Proof') ?? undefined,
    tell: (limit) => setRateLimitHeaders(c, limit),
  }
}

/** The address that a request counts against; {@link clientAddress}. */
export function addressOf({ req, env }: Pick<Counting, 'req' | 'env'>): string | undefined {
  // `PUBLIC_FETCH` is bound only outside of Cloudflare.
  const source = { frontKey: configOrNothing(env)?.frontKey, onCloudflare: env.PUBLIC_FETCH === undefined }
  return clientAddress(req.raw, source, now())
}

/** Has `RateLimit` headers added to the answer for a limit that the database counts. */
export function setRateLimitHeaders(c: { get(name: 'counted'): CountedLimit[] }, limit: CountedLimit): void {
  c.get('counted').push(limit)
}

function kindOf(method: string): RateLimitName {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write'
}

/**
 * Counts a request against the limit of its client address, in each data centre. Reads and writes have separate limits;
 * a read by POST passes `kind`.
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

/** {@link limitRequest} as middleware, for routes whose answers do not come from the response cache. */
export function limitRequests(): MiddlewareHandler<AppEnv> {
  return async function limitRequests(c, next) {
    await limitRequest(c)
    await next()
  }
}
