import type { CID } from 'multiformats/cid'
import { parseCid } from '../../../protocol/cid.ts'
import type { Env } from '../../platform/bindings.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import { AppError } from '../../platform/http/errors.ts'
import { fetcherName } from '../chain/fetcher-name.ts'
import { readListMark, SITE_PREFIX } from '../chain/list-mark.ts'
import type { ContentRequest } from '../chain/parse-request.ts'

/** The result for a list: the root of its website, or that it is no website. */
interface SiteMark {
  root: CID | undefined
}

/** The size of the stored result for a list (bytes). */
const MARK_BYTES = 200

/** Of this isolate: what a list of txids holds does not change. */
const remembered = new MemoryCache<SiteMark>(1 << 10)

/** Content that may be a website. */
export interface SiteContent {
  env: Pick<Env, 'BUCKET' | 'CONTENT_FETCHER'>
  asked: ContentRequest
  /** The one txid that was requested where that is of an index, whose parts `asked` names. */
  index?: readonly string[]
  /** The name of the list. */
  list: string
  /** The address of who asks, where it is known. */
  client: string | undefined
}

/**
 * The root of the website in a list, whose blocks can be read; `undefined` for other content. `begins` returns
 * whether the content begins like one; it is called if no result is stored.
 * @throws {AppError} 503, and what `begins` throws.
 */
export async function findSite(content: SiteContent, begins: () => Promise<boolean>): Promise<CID | undefined> {
  const { env, list } = content
  const known = remembered.get(list) ?? (await readMark(env.BUCKET, list))
  if (known) {
    remembered.set(list, known, MARK_BYTES)
    return known.root
  }
  return (await begins()) ? await restoreSite(content) : undefined
}

/** Has the blocks of a website copied to where they are read, those that are gone again. @throws {AppError} 503. */
export async function restoreSite({ env, asked, list, client }: SiteContent): Promise<CID | undefined> {
  const answer = await env.CONTENT_FETCHER.getByName(fetcherName(asked, list)).keepSite(asked, { client })
  if (answer.outcome === 'error') {
    throw new AppError(answer.status, answer.code, answer.message, { headers: answer.headers })
  }
  const mark = await readMark(env.BUCKET, list)
  if (mark) remembered.set(list, mark, MARK_BYTES)
  return mark?.root
}

async function readMark(bucket: R2Bucket, list: string): Promise<SiteMark | undefined> {
  const found = await readListMark(bucket, { prefix: SITE_PREFIX, list })
  return found === undefined ? undefined : { root: parseCid(found) }
}
