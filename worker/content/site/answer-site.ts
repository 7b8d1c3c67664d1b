import type { Context } from 'hono'
import { MAX_PATH_TXIDS } from '../../../contract/limits.ts'
import { canonicalCid } from '../../../protocol/cid.ts'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import { IMMUTABLE_CONTENT } from '../../platform/http/policies.ts'
import { noSuchTransaction } from '../chain/prepare-answer.ts'
import { parseSubPath } from '../ipfs/names/content-path.ts'
import { answerSitePath } from './answer-site-path.ts'
import { findSite, type SiteContent } from './find-site.ts'

/**
 * Answers a request for content that begins like a website: GET and HEAD with a redirect to its path with a slash, POST with
 * its `index.html`. `undefined` for other content. `text` is the body of the request.
 * @throws {AppError} 451, 503.
 */
export async function answerSite(
  c: Context<AppEnv>,
  content: SiteContent,
  text: string,
): Promise<Response | undefined> {
  const root = await findSite(content, async () => true)
  if (!root) return undefined
  const txids = content.index ?? content.asked.txids
  const { method, url } = c.req.raw
  const path = { segments: [], slash: true }
  if (method !== 'POST' && txids.length <= MAX_PATH_TXIDS) {
    const { pathname, search } = new URL(url)
    const headers = { Location: `${pathname}/${search}`, 'Cache-Control': IMMUTABLE_CONTENT }
    return new Response(null, { status: 301, headers })
  }
  return await answerSitePath(c, root, content, { path, linkPrefix: `/ipfs/${canonicalCid(root)}`, text })
}

/**
 * Answers GET and HEAD with what a website has below the path of its list. `begins` says whether the content begins like one,
 * nothing where there is no content.
 * @throws {AppError} 400, 404, 451, 503.
 */
export async function answerBelow(
  c: Context<AppEnv>,
  content: SiteContent,
  begins: () => Promise<boolean | undefined>,
): Promise<Response> {
  const txids = content.index ?? content.asked.txids
  if (txids.length > MAX_PATH_TXIDS) {
    throw invalidField('txids', `may be ${MAX_PATH_TXIDS} in front of a path, not ${txids.length}.`)
  }
  let there: boolean | undefined = true
  const root = await findSite(content, async () => {
    there = await begins()
    return there === true
  })
  if (there === undefined) return noSuchTransaction()
  if (!root)
    throw new AppError(404, 'path_not_found', 'These transactions hold no website, so there are no paths in them.')
  const { pathname } = new URL(c.req.url)
  // The chain and the txids are the last of the segments in front of the path.
  const prefix = /^\/(?:v0\/)?[^/]+\/[^/]+\/[^/]+/.exec(pathname)?.[0] ?? ''
  return await answerSitePath(c, root, content, {
    path: parseSubPath(pathname.slice(prefix.length)),
    linkPrefix: prefix,
  })
}
