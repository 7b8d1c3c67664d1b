import { Hono } from 'hono'
import { answerIpfs } from '../../../content/ipfs/gateway/answer-ipfs.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { answerUri, refuseServiceWorker } from './ipfs.ts'

/** GET /ipns/<name>[/path] */
export const ipns = new Hono<AppEnv>()

ipns.get('/*', async (c) => {
  const elsewhere = await answerUri(c)
  if (elsewhere) return elsewhere
  refuseServiceWorker(c)
  const { findNamePath, requireIpnsName } = await import('../../../content/ipfs/gateway/find-name-path.ts')
  const { encodeSegment, parseSubPath } = await import('../../../content/ipfs/names/content-path.ts')
  const url = new URL(c.req.url)
  const [, text = '', rest = ''] = /^\/ipns\/([^/]*)(.*)$/.exec(url.pathname) ?? []
  const name = requireIpnsName(text, url.pathname)
  const linkPrefix = `/ipns/${encodeSegment(name.text)}`
  if (name.kind === 'key' && name.text !== text) return c.redirect(`${linkPrefix}${rest}${url.search}`, 302)
  const place = { linkPrefix, ownOrigin: false, gatewayUrl: '' }
  return answerIpfs(c, (denied) => findNamePath(c, denied, { url, name, path: parseSubPath(rest), place }))
})
