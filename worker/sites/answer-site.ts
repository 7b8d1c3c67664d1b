import type { Config, Env } from '../bindings.ts'
import { type AppError, notFound } from '../errors.ts'
import { classifyHost, type HostKind } from '../hosts.ts'
import { answerItem } from '../retrieval/answer-item.ts'
import { findStoredItem } from '../retrieval/find-stored-item.ts'
import { isReservedPath } from './finish-site-response.ts'
import { resolveDomain } from './resolve-domain.ts'

type Context = Pick<ExecutionContext, 'waitUntil'>

/** What a name points to can change from one request to the next; the tag says whether it did. */
const CHANGEABLE = 'public, max-age=0, must-revalidate'

/**
 * Answers GET and HEAD on the host of an item, or on a domain that names one, with the item as a site.
 * @throws {AppError} 404 where the host names no stored item or the item has nothing there, 451, and what reading
 *   the item throws.
 */
export async function answerSite(env: Env, config: Config, ctx: Context, request: Request): Promise<Response> {
  const url = new URL(request.url)
  if (isReservedPath(url.pathname)) throw nothingHere()
  const host = classifyHost(url.host, config)
  const id = await itemOfHost(env, config, ctx, host)
  const item = id === undefined ? undefined : await findStoredItem(env, ctx, id)
  if (!item || url.pathname !== '/') throw nothingHere()
  const response = await answerItem(env, ctx, request, item, {})
  if (host.kind === 'domain' && response.headers.get('Cache-Control')?.includes('immutable')) {
    response.headers.set('Cache-Control', CHANGEABLE)
  }
  return response
}

async function itemOfHost(env: Env, config: Config, ctx: Context, host: HostKind): Promise<string | undefined> {
  if (host.kind === 'item') return host.id
  return host.kind === 'domain' ? await resolveDomain(env, config, ctx, host.host) : undefined
}

/** Where plain http at Cloudflare is sent; elsewhere the scheme of a request says nothing of the client's. */
export function secureLocation(request: Request, config: Pick<Config, 'baseUrl'>): string | undefined {
  const plain = request.headers.get('CF-Visitor')?.includes('"scheme":"http"') ?? false
  if (!plain || config.baseUrl.protocol !== 'https:') return undefined
  const url = new URL(request.url)
  url.protocol = 'https:'
  return url.href
}

function nothingHere(): AppError {
  return notFound('There is nothing at this address.')
}
