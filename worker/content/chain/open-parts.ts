import type { ByteRange } from '../../../contract/byte-range.ts'
import { LEAST_TRANSACTIONS, readLayout } from '../../../protocol/literal-parts.ts'
import { siteRoot } from '../../../protocol/site-root.ts'
import { openLiteralContent } from '../../../reader/chain/literal-content.ts'
import { CHARSET_BYTES, readCharsets } from '../../../reader/charset.ts'
import { readWhole } from '../../../reader/read-whole.ts'
import { ReaderError } from '../../../reader/reader-error.ts'
import type { FetcherAnswer } from '../../platform/bindings.ts'
import { type TakeMemory, withPriority } from '../../platform/flow/memory-budget.ts'
import { AppError } from '../../platform/http/errors.ts'
import { readSized } from '../../platform/http/read-sized.ts'
import type { ContentRecord } from './content-record.ts'
import type { ContentRequest } from './parse-request.ts'
import { streamedBody } from './streamed-body.ts'

/** Data of transactions that a reader of parts holds: what is sent, and what is read ahead (bytes). */
const HELD_BYTES = 3 << 19

/** Content of which a range is read by its own transactions. */
export interface OpenedParts {
  /** The decoded content. */
  record: ContentRecord
  /** Whether the node was asked. */
  asked: boolean
  /** Milliseconds spent waiting for the node. */
  rpcMs: number
}

/** The data of some transactions of a list, joined, and where it was found. @throws {AppError} */
type FetchData = (txids: string[]) => Promise<FetcherAnswer>

/**
 * The content of a list that is stored uncompressed by transaction (docs/formats.md, "A range of content"); `undefined` for other
 * content, for a website, of which the whole is checked, and for more than `maxBytes`, which are read whole. Nothing is known of transactions that are not read.
 * @throws {AppError} 502, 503, 504.
 */
export async function openParts(
  { txids }: ContentRequest,
  { fetch, take, maxBytes }: { fetch: FetchData; take: TakeMemory; maxBytes: number },
): Promise<OpenedParts | undefined> {
  if (txids.length < LEAST_TRANSACTIONS) return undefined
  const found = { asked: false, rpcMs: 0 }
  let first: Uint8Array | undefined
  const readData = async (some: readonly string[]): Promise<Uint8Array[]> => {
    const isFirst = some.length === 1 && some[0] === txids[0]
    if (isFirst && first) return [first]
    const answer = await fetch([...some])
    if (answer.outcome === 'error') throw new AppError(answer.status, answer.code, answer.message, answer)
    if (answer.outcome !== 'found')
      throw new ReaderError('not_verified', 'A transaction of this content does not exist.')
    found.asked ||= answer.tier === 'miss'
    found.rpcMs += answer.rpcMs
    const data = await joined(answer)
    if (isFirst) first = data
    // What is not as long as the first one does not begin as it must.
    const step = first?.length ?? data.length
    return some.map((_, at) => data.subarray(at * step, at === some.length - 1 ? data.length : (at + 1) * step))
  }
  const [start] = (await readData(txids.slice(0, 1)).catch(unlessMissing)) ?? []
  const content = start && readLayout(start) && (await openLiteralContent(txids, readData))
  if (!content || content.size > maxBytes) return undefined
  const { size } = content
  const head = await readWhole(content.read({ start: 0, end: Math.min(size, CHARSET_BYTES) - 1 }, readData))
  if (siteRoot(head)) return undefined
  async function* read(range: ByteRange) {
    const share = await withPriority(take)('read', HELD_BYTES)
    try {
      for await (const bytes of content?.read(range, readData) ?? []) {
        share.touch()
        yield bytes
      }
    } catch (error) {
      if (error instanceof ReaderError) throw new AppError(404, 'not_verified', error.message)
      throw error
    } finally {
      share.release()
    }
  }
  const charsets = readCharsets(head, head.length === size)
  return {
    record: { body: { kind: 'file', size, read }, form: { encoding: 'identity', charsets, parts: first?.length ?? 0 } },
    ...found,
  }
}

async function joined({ body, length }: Extract<FetcherAnswer, { outcome: 'found' }>): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body
  return await readSized(streamedBody(body, length).read({ start: 0, end: length - 1 }), length)
}

/** What is missing is found out when all is read. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ReaderError)) throw error
}
