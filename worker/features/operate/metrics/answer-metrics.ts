import type { Context } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError, notFound } from '../../../platform/http/errors.ts'
import { metricsText } from './metrics-text.ts'
import { readMetrics } from './read-metrics.ts'

/** What is read of a request. */
interface Asked {
  get(name: 'config'): Config
  req: { header(name: string): string | undefined }
}

/** Whether a request has `METRICS_TOKEN`; never where none is set. */
export async function hasMetricsToken(c: Asked): Promise<boolean> {
  const { metricsToken } = c.get('config')
  if (metricsToken === undefined) return false
  const digest = async (text: string) => await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const [given, wanted] = await Promise.all([
    digest(c.req.header('Authorization') ?? ''),
    digest(`Bearer ${metricsToken}`),
  ])
  return crypto.subtle.timingSafeEqual(given, wanted)
}

/** GET /metrics. @throws {AppError} 404 where no token is set, 401. */
export async function answerMetrics(c: Context<AppEnv>): Promise<Response> {
  if (c.get('config').metricsToken === undefined) {
    throw notFound('There is nothing at this path. /docs lists all paths.')
  }
  if (!(await hasMetricsToken(c))) {
    const options = { headers: { 'WWW-Authenticate': 'Bearer' } }
    throw new AppError(401, 'token_invalid', 'The bearer token is not METRICS_TOKEN.', options)
  }
  const text = metricsText(await readMetrics(c.env, now()))
  return c.body(text, 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' })
}
