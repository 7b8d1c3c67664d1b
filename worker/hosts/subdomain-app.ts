import { Hono } from 'hono'
import { answerIpfs } from '../content/ipfs/gateway/answer-ipfs.ts'
import { readConfig } from '../platform/config/read-config.ts'
import { methodNotAllowed } from '../platform/http/allowed-methods.ts'
import { answerError } from '../platform/http/answer-error.ts'
import type { AppEnv } from '../platform/http/app-env.ts'
import { answerOptions } from '../platform/http/cors.ts'
import { isForPerson } from '../platform/http/error-page.ts'
import { AppError, noSuchPath } from '../platform/http/errors.ts'
import { finishHeaders } from '../platform/http/finish-headers.ts'
import { classifyHost, isProofOfHost } from './classify-host.ts'
import { clientUrl } from './client-url.ts'
import { finishAnswers } from './finish-answers.ts'
import { finishTransport, requireHttps } from './require-https.ts'

const METHODS = ['GET', 'HEAD']

/** `<cid>.ipfs.<storage host>` and `<name>.ipns.<storage host>`: one root each, on an origin of its own. */
export const subdomainApp = new Hono<AppEnv>()

// The whole host is one content root: every path of it is of the gateway.
subdomainApp.use(
  finishAnswers((headers, c, ok) => {
    finishHeaders(headers, { path: '/ipfs/', ok, origin: null, consoleOrigins: [] })
    finishTransport(headers, c.env)
  }),
)
subdomainApp.use(requireHttps())

subdomainApp.all('*', async (c) => {
  if (c.req.method === 'OPTIONS') return answerOptions(METHODS)
  if (!METHODS.includes(c.req.method)) throw methodNotAllowed(METHODS)
  const { findSubdomainPath, subdomainRedirect } = await import('../content/ipfs/gateway/find-subdomain-path.ts')
  const config = readConfig(c.env)
  const url = clientUrl(c.req.raw, config)
  const root = classifyHost(url.host, config)
  if (root.kind !== 'subdomain')
    throw new AppError(400, 'invalid_host', 'The host name contains no CID and no IPNS name.')
  // Content of a CID existed before the challenge; what a name points to can change at any time.
  if (root.namespace === 'ipns' && isProofOfHost(url.pathname)) throw noSuchPath()
  const location = subdomainRedirect(url, c.req.header('Host'), root, config.storageHost)
  if (location !== undefined) return c.redirect(location, 301)
  return answerIpfs(c, (denied) => findSubdomainPath(c, denied, url, root))
})

// What is wrong with somebody's _redirects is for its author, who finds the line as it was written: JSON would
// escape its quotes.
subdomainApp.onError((error, c) => {
  const asWritten = error instanceof AppError && error.code === 'invalid_redirects' && !isForPerson(c.req.raw)
  if (!asWritten) return answerError(error, c)
  if (error.cause !== undefined) console.error(error.code, error.cause)
  return c.text(error.message, error.status, error.headers)
})
