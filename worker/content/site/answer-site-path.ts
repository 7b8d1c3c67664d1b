import type { Context } from 'hono'
import type { CID } from 'multiformats/cid'
import { now } from '../../platform/clock.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { AppError } from '../../platform/http/errors.ts'
import { type Denylist, denylist } from '../denylist/denylist.ts'
import { openBlocks } from '../ipfs/blocks/open-blocks.ts'
import { runInWalkSlot } from '../ipfs/blocks/walk-slots.ts'
import type { FoundPath } from '../ipfs/formats/found-content.ts'
import { answerFound } from '../ipfs/gateway/answer-ipfs.ts'
import { findRootPath } from '../ipfs/gateway/find-root-path.ts'
import type { SubPath } from '../ipfs/names/content-path.ts'
import { restoreSite, type SiteContent } from './find-site.ts'

/** How often (ms) the blocks of a website are copied again because one was missed. Without this limit a website that never had the block would be copied at each request. */
const STORED_AGAIN_MS = 60_000

const storedAgain = new MemoryCache<number>(100)

/** A path below the root of a website, and the start of the paths of its links. */
export interface SitePath {
  path: SubPath
  linkPrefix: string
  /** The body of the request, where there was one. */
  text?: string
}

/**
 * Answers with what a website on a chain has at a path. Its blocks are read from R2 and edge alone; those that are gone are
 * copied from the transactions again.
 * @throws {AppError} 404, 422, 451, 503.
 */
export async function answerSitePath(
  c: Context<AppEnv>,
  root: CID,
  content: SiteContent,
  asked: SitePath,
): Promise<Response> {
  const denied = await denylist(c.env, c.executionCtx)
  return await runInWalkSlot(c.executionCtx, async () => {
    const response = await answerFound(c, await findOrKeep(content, () => find(c, denied, root, content, asked)))
    const cacheable = c.get('cacheable')
    if (cacheable) {
      const txids = [...(content.index ?? []), ...content.asked.txids]
      c.set('cacheable', { ...cacheable, txids, ...(asked.text === undefined ? {} : { text: asked.text }) })
    }
    return response
  })
}

function find(
  c: Context<AppEnv>,
  denied: Denylist,
  root: CID,
  { client }: SiteContent,
  { path, linkPrefix }: SitePath,
): Promise<FoundPath> {
  const { env, executionCtx: ctx } = c
  const blocks = openBlocks({ env, ctx, client }, denied, true)
  return findRootPath(c.req.raw, { root, path, linkPrefix, url: new URL(c.req.url) }, blocks, denied)
}

async function findOrKeep(content: SiteContent, find: () => Promise<FoundPath>): Promise<FoundPath> {
  try {
    return await find()
  } catch (error) {
    if (!isMissing(error) || (storedAgain.get(content.list) ?? 0) > now() - STORED_AGAIN_MS) throw asNotFound(error)
    storedAgain.set(content.list, now(), 0)
  }
  await restoreSite(content)
  try {
    return await find()
  } catch (error) {
    throw asNotFound(error)
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_cached'
}

function asNotFound(error: unknown): unknown {
  if (!isMissing(error)) return error
  return new AppError(404, 'block_not_found', 'The transactions lack the blocks of the content at this path.')
}
