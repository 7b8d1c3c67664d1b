import type { Hono } from 'hono'
import type { ErrorCode } from '../../contract/error-codes.ts'
import type { Env } from '../platform/bindings.ts'
import { configOrNothing } from '../platform/config/read-config.ts'
import type { AppEnv } from '../platform/http/app-env.ts'
import { JSON_TYPE } from '../platform/http/media-types.ts'
import { answerFromCache } from './answer-from-cache.ts'
import { chainApp } from './chain-app.ts'
import { classifyHost, type HostKind } from './classify-host.ts'
import { clientUrl } from './client-url.ts'
import { frameApp } from './frame-app.ts'
import { isPlainHttp } from './require-https.ts'
import { isRetrievalPath, retrievalApp } from './retrieval-app.ts'
import { siteApp } from './site-app.ts'
import { storageApp } from './storage-app.ts'
import { subdomainApp } from './subdomain-app.ts'
import { unknownApp } from './unknown-app.ts'

/** One app for each kind of host but the API's; each adds what all answers of its hosts carry. */
const APPS: Record<Exclude<HostKind['kind'], 'api'>, Hono<AppEnv>> = {
  storage: storageApp,
  subdomain: subdomainApp,
  item: siteApp,
  address: siteApp,
  domain: siteApp,
  chain: chainApp,
  frame: frameApp,
  unknown: unknownApp,
}

/** Answers a request: from memory where the same was answered before, or by the app of the host that it was sent to. */
export function answerRequest(incoming: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  const config = configOrNothing(env)
  const answerByHost = async (request: Request) => {
    // The platform accepts a Host that is no host name; after this check the rest of the Worker can rely on the URL.
    if (!isHost(request.headers.get('Host')) || !URL.canParse(request.url) || hasUserInfo(new URL(request.url))) {
      return refuseAddress()
    }
    if (PROXY_METHODS.includes(request.method)) return refuseMethod(request.method)
    const url = config && clientUrl(request, config)
    if (url && hasUserInfo(url)) return refuseAddress()
    // Without a configuration no host is known, and the API says why.
    const { kind } = config && url ? classifyHost(url.host, config) : { kind: 'api' as const }
    const app = kind === 'api' ? await apiFor(request) : APPS[kind]
    return await app.fetch(request, env, ctx)
  }
  // A request over plain http is never answered from memory.
  if (config && isPlainHttp(incoming, config)) return answerByHost(incoming)
  return answerFromCache(incoming, env, ctx, answerByHost)
}

async function apiFor({ url }: Request): Promise<Hono<AppEnv>> {
  return isRetrievalPath(new URL(url).pathname) ? retrievalApp : (await import('./api-app.ts')).apiApp
}

/** Whether a `Host` has no character that ends a host in a URL or precedes one: what follows it would be routed as a path. */
function isHost(host: string | null): boolean {
  return host === null || !/[@/?#\\]/.test(host)
}

/** Whether a `Host` has user information: what precedes the `@` looks like a host to people. */
function hasUserInfo({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}

function refuseAddress(): Response {
  return refuse(400, { message: 'The host or path of this request is not an address.', code: 'invalid_address' })
}

/** Methods that are a proxy's (RFC 9110, 9.3.6 and 9.3.8), which `Request` can't even be made with. */
const PROXY_METHODS = ['CONNECT', 'TRACE', 'TRACK']

function refuseMethod(method: string): Response {
  const message = `The method ${method} is not supported, as this is not a proxy.`
  return refuse(405, { message, code: 'method_not_allowed' }, { Allow: 'GET, HEAD, OPTIONS' })
}

function refuse(
  status: number,
  body: { message: string; code: ErrorCode },
  more: Record<string, string> = {},
): Response {
  const headers = { 'Content-Type': JSON_TYPE, 'X-Content-Type-Options': 'nosniff', ...more }
  return new Response(JSON.stringify(body), { status, headers })
}
