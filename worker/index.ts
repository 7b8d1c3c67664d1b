import type { Env } from './bindings.ts'
import { now } from './clock.ts'
import { type Config, ConfigurationError } from './config/config.ts'
import { readConfig } from './config/read-config.ts'
import { app } from './hosts/api-app.ts'
import { classifyHost, clientUrl } from './hosts/classify-host.ts'
import { finishSiteResponse } from './hosts/finish-site-response.ts'
import { site } from './hosts/site-app.ts'
import { subdomain } from './hosts/subdomain-app.ts'
import { errorPage, isForPerson } from './http/error-page.ts'
import { answerPreflight, finishResponse } from './http/finish-response.ts'
import { answerWarm } from './http/warm-answers.ts'
import { runJobs } from './run-jobs.ts'

export { ChainAgent } from './chain-agent/chain-agent.ts'
export { ContentFetcher } from './chain-content/content-fetcher.ts'
export { ItemMerger } from './items/item-merger.ts'

const NO_ORIGINS = { consoleOrigins: [] }

export default {
  fetch: (incoming, env, ctx) => answerWarm(incoming, env, ctx, (request) => answer(request, env, ctx)),

  async scheduled(_controller, env): Promise<void> {
    await runJobs(env, now())
  },
} satisfies ExportedHandler<Env>

async function answer(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  // A Host that is no host name comes through here; the rest of the Worker may rely on the URL.
  const url = URL.parse(request.url)
  if (!url) return refuseAddress()
  const config = configOrNothing(env)
  const host = config ? classifyHost(clientUrl(request, config).host, config) : { kind: 'api' as const }
  const origin = request.headers.get('Origin')
  switch (host.kind) {
    case 'api':
    case 'storage':
      if (host.kind === 'storage' && !/^\/ip[fn]s\//.test(url.pathname))
        return finishSiteResponse(await nothingHere(request), url)
      if (request.method === 'OPTIONS') return answerPreflight(url.pathname, origin, config ?? NO_ORIGINS)
      return finishResponse(await app.fetch(request, env, ctx), url.pathname, origin, config ?? NO_ORIGINS)
    case 'item':
    case 'domain':
      return finishSiteResponse(await site.fetch(request, env, ctx), url)
    case 'subdomain':
      // The whole host is one content root: every path of it is of the gateway.
      if (request.method === 'OPTIONS') return answerPreflight('/ipfs/', origin, config ?? NO_ORIGINS)
      return finishResponse(await subdomain.fetch(request, env, ctx), '/ipfs/', origin, config ?? NO_ORIGINS)
    default:
      return finishSiteResponse(await nothingHere(request), url)
  }
}

function refuseAddress(): Response {
  const body = { message: 'The host or path of this request is not an address.', code: 'invalid_address' }
  return Response.json(body, { status: 400, headers: { 'X-Content-Type-Options': 'nosniff' } })
}

async function nothingHere(request: Request): Promise<Response> {
  const refusal = { status: 404, code: 'not_found', message: 'There is nothing at this address.' }
  if (isForPerson(request)) return errorPage(refusal)
  return Response.json({ message: refusal.message, code: refusal.code }, { status: refusal.status })
}

function configOrNothing(env: Env): Config | undefined {
  try {
    return readConfig(env)
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined
    throw error
  }
}
