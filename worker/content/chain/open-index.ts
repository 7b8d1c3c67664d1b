import { parseMediaType } from '../../../contract/media-type.ts'
import { type ContentIndex, decodeContentIndex } from '../../../protocol/content-index.ts'
import type { Env } from '../../platform/bindings.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import { AppError } from '../../platform/http/errors.ts'
import { BYTES_TYPE } from '../../platform/http/media-types.ts'
import type { IndexMark } from './check-index.ts'
import { listName } from './content-record.ts'
import { fetcherName } from './fetcher-name.ts'
import { INDEX_PREFIX, readListMark } from './list-mark.ts'
import type { ContentRequest } from './parse-request.ts'

/** The size of the stored result for an index (bytes). */
const MARK_BYTES = 100

/** Of this isolate: whether what transactions hold is what an index says does not change. */
const remembered = new MemoryCache<IndexMark>(1 << 10)

/** The content that an index transaction describes. */
export interface OpenedIndex {
  /** The transactions that hold the content. */
  parts: ContentRequest
  /** Its media type, checked. */
  type: string
  encoding: ContentIndex['encoding']
}

/**
 * The content that the index in `asked` describes: `undefined` if it is no index or describes its content wrongly, `missing` if
 * a part does not exist. The content is hashed once before it is opened. `refuse` throws for denied content.
 * @throws {AppError} 422 if it says more than `maxDecodedBytes`, 451, 502, 503, 504.
 */
export async function openIndex(
  env: Pick<Env, 'BUCKET' | 'CONTENT_FETCHER'>,
  { asked, body, client }: { asked: ContentRequest; body: Uint8Array; client: string | undefined },
  maxDecodedBytes: number,
  refuse: (parts: ContentRequest) => void,
): Promise<OpenedIndex | 'missing' | undefined> {
  const index = decodeContentIndex(body)
  if (!index) return undefined
  const { size, sha256, encoding } = index
  const parts = { blockchain: asked.blockchain, txids: [...index.parts] }
  refuse(parts)
  if (size > maxDecodedBytes) {
    throw new AppError(422, 'content_too_large', 'The content decodes to more than this service serves.')
  }
  const name = listName(asked)
  const mark = remembered.get(name) ?? (await readMark(env.BUCKET, name)) ?? (await check())
  if (mark === 'missing') return mark
  remembered.set(name, mark, MARK_BYTES)
  return mark === 'holds' ? { parts, type: parseMediaType(index.type) ?? BYTES_TYPE, encoding } : undefined

  async function check(): Promise<IndexMark | 'missing'> {
    const fetcher = env.CONTENT_FETCHER.getByName(fetcherName(parts, listName(parts)))
    const answer = await fetcher.checkIndex(parts, { name, size, sha256, encoding }, { client })
    if (answer.outcome !== 'error') return answer.outcome
    throw new AppError(answer.status, answer.code, answer.message, { headers: answer.headers })
  }
}

async function readMark(bucket: R2Bucket, name: string): Promise<IndexMark | undefined> {
  const found = await readListMark(bucket, { prefix: INDEX_PREFIX, list: name })
  return found === 'holds' || found === 'wrong' ? found : undefined
}
