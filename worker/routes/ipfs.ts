import { type Context, Hono } from 'hono'
import type { AppEnv } from '../app.ts'
import { AppError } from '../errors.ts'
import { answerIpfs } from '../ipfs/answer-ipfs.ts'

/** GET /ipfs/<cid>[/path], GET /ipfs/hex/<cid>[/path] */
export const ipfs = new Hono<AppEnv>()

ipfs.get('/hex/:path{.+}', (c) => answer(c, '/ipfs/hex/'))
ipfs.get('/*', (c) => answer(c, '/ipfs/'))

// The gateway is loaded with the first request for it: a Worker that starts for a chain page does without.
async function answer(c: Context<AppEnv>, prefix: '/ipfs/' | '/ipfs/hex/'): Promise<Response> {
  refuseServiceWorker(c)
  return answerIpfs(c, async (denied) => {
    const { findContentPath } = await import('../ipfs/find-content-path.ts')
    return findContentPath(c, denied, prefix)
  })
}

/**
 * A service worker registered at a root without its slash would rule over other roots (Path Gateway specification,
 * `Service-Worker`). @throws {AppError} 400.
 */
function refuseServiceWorker(c: Context<AppEnv>): void {
  if (c.req.header('Service-Worker') !== 'script' || /^\/ip[fn]s\/[^/]+\/./.test(c.req.path)) return
  const message = 'A service worker may only be registered below a content root, not for the root itself.'
  throw new AppError(400, 'service_worker_scope', message)
}
