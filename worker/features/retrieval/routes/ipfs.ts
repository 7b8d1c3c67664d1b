import { type Context, Hono } from 'hono'
import { answerIpfs } from '../../../content/ipfs/gateway/answer-ipfs.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError } from '../../../platform/http/errors.ts'

/** GET /ipfs/<cid>[/path], GET /ipfs/hex/<cid>[/path] */
export const ipfs = new Hono<AppEnv>()

ipfs.get('/hex/:path{.+}', (c) => answer(c, '/ipfs/hex/'))
ipfs.get('/*', async (c) => (await answerUri(c)) ?? (await answer(c, '/ipfs/')))

// The gateway is loaded with the first request for it: a Worker that starts for a chain page does without.
async function answer(c: Context<AppEnv>, prefix: '/ipfs/' | '/ipfs/hex/'): Promise<Response> {
  refuseServiceWorker(c)
  return answerIpfs(c, async (denied) => {
    const { findContentPath } = await import('../../../content/ipfs/gateway/find-content-path.ts')
    return findContentPath(c, denied, prefix)
  })
}

/** Where `?uri=` points, on the bare namespace; `undefined` without it. @throws {AppError} 400. */
export async function answerUri(c: Context<AppEnv>): Promise<Response | undefined> {
  if (!/^\/ip[fn]s\/?$/.test(c.req.path)) return undefined
  const uri = c.req.query('uri')
  const namespace = c.req.path.replace(/\/$/, '')
  if (uri === undefined) throw new AppError(400, 'invalid_path', `Ask for ${namespace}/<root>, with a CID or a name.`)
  const { uriLocation } = await import('../../../content/ipfs/gateway/redirect-to-subdomain.ts')
  return c.redirect(uriLocation(uri), 301)
}

/**
 * A service worker registered at a root without its slash would rule over other roots (Path Gateway specification,
 * `Service-Worker`). @throws {AppError} 400.
 */
export function refuseServiceWorker(c: Context<AppEnv>): void {
  if (c.req.header('Service-Worker') !== 'script' || /^\/ip[fn]s\/[^/]+\/./.test(c.req.path)) return
  const message = 'A service worker may only be registered below a content root, not for the root itself.'
  throw new AppError(400, 'service_worker_scope', message)
}
