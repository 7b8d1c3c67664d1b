import { Hono } from 'hono'
import { readConfig } from '../config/read-config.ts'
import { answerError } from '../http/answer-error.ts'
import type { AppEnv } from '../http/app-env.ts'
import { isForPerson } from '../http/error-page.ts'
import { AppError } from '../http/errors.ts'
import { answerIpfs } from '../ipfs/gateway/answer-ipfs.ts'
import { classifyHost, clientUrl } from './classify-host.ts'

/** `<cid>.ipfs.<storage host>` and `<name>.ipns.<storage host>`: one root each, on an origin of its own. */
export const subdomain = new Hono<AppEnv>()

subdomain.all('*', async (c) => {
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') {
    throw new AppError(405, 'method_not_allowed', 'This host answers GET, HEAD.', { headers: { Allow: 'GET, HEAD' } })
  }
  const { findSubdomainPath, subdomainMove } = await import('../ipfs/gateway/find-subdomain-path.ts')
  const config = readConfig(c.env)
  const url = clientUrl(c.req.raw, config)
  const root = classifyHost(url.host, config)
  if (root.kind !== 'subdomain') throw new AppError(400, 'invalid_host', 'This host names no root.')
  const location = subdomainMove(url, c.req.header('Host'), root, config.storageHost)
  if (location !== undefined) return c.redirect(location, 301)
  const request = url.href === c.req.url ? c.req.raw : new Request(url, c.req.raw)
  return answerIpfs(c, (denied) => findSubdomainPath(c, denied, url, root), request)
})

// What is wrong with somebody's _redirects is for its author, who finds the line as it was written: JSON would
// escape its quotes.
subdomain.onError((error, c) => {
  const asWritten = error instanceof AppError && error.code === 'invalid_redirects' && !isForPerson(c.req.raw)
  if (!asWritten) return answerError(error, c)
  if (error.cause !== undefined) console.error(error.code, error.cause)
  return c.text(error.message, error.status, error.headers)
})
