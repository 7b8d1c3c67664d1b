import type { Blockchain } from '../../../../protocol/chains.ts'
import { checkpoints } from '../../../chain/checkpoints.ts'
import { readPlaceOf, readTip } from '../../../chain/rpc/read-place.ts'
import type { Env, FollowedParts } from '../../../platform/bindings.ts'
import { now } from '../../../platform/clock.ts'
import { readConfig } from '../../../platform/config/read-config.ts'
import { returnToEventLoop } from '../../../platform/flow/budget.ts'
import { memoryOf } from '../../../platform/flow/memory-budget.ts'
import { MemoryCache } from '../../../platform/flow/memory-cache.ts'
import { AppError, unavailable } from '../../../platform/http/errors.ts'
import { countProven } from './count-proven.ts'
import { deleteSearch, getSearch, putSearch } from './kept-search.ts'
import { blockReader } from './read-block.ts'
import {
  ChainChanged,
  type DoginalSearch,
  endOf,
  type FoundPart,
  lastOf,
  type SearchEnd,
  searchBlocks,
} from './search-doginal.ts'

/** A search pauses after so many milliseconds; the next request goes on with it. */
const SEARCH_MS = 4_000
/** A block as JSON, its bytes, and its transactions, of which all but those that count are gone before the next one. */
const SEARCH_BYTES = 8 << 20
/** What did not end is not searched again for so long: its next block is mined in a minute. */
const RECENT_MS = 30_000
const MAX_ENTRY = 32 << 10
/** Headers of a block after which nobody replaces it: what `worked 6` counts. */
const SETTLED_DEPTH = 6

/** Searches, the ones that were not admitted to the bucket among them. */
const searches = new MemoryCache<DoginalSearch>(MAX_ENTRY)
const recent = new MemoryCache<{ answer: FollowedParts; until: number }>(MAX_ENTRY)

/** A transaction that begins a doginal, and how many parts are missing behind it. */
export interface BegunDoginal {
  blockchain: Blockchain
  txid: string
  missing: number
}

/**
 * The later transactions of a doginal, as far as they are in blocks, and how many of them are proven. Without a checkpoint
 * nothing can be, so nothing is searched.
 * @throws {AppError} 502, 504; 503 where the search goes on with the next request
 */
export async function followDoginal(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  begun: BegunDoginal,
  client: string | undefined,
): Promise<FollowedParts> {
  const { blockchain, txid, missing } = begun
  const checkpoint = checkpoints[blockchain]
  if (!checkpoint) return { txids: [txid], proven: 1, missing, end: 'no_checkpoint' }
  const key = `${blockchain}/${txid}`
  const known = recent.get(key)
  if (known && now() < known.until) return known.answer
  const kept = searches.get(key) ?? (await getSearch(env.BUCKET, blockchain, txid))
  const end = kept && endOf(kept)
  if (kept && end) return answerOf(kept, kept.parts.length, end)
  const share = await memoryOf(client)('gather', SEARCH_BYTES)
  try {
    const { search, proven, end: why, tip } = await searchFrom(env, ctx, begun, kept)
    const settled = settledPart(search, proven, tip)
    if (settled && settled.next > (kept?.next ?? 0)) {
      searches.set(key, settled, JSON.stringify(settled).length)
      ctx.waitUntil(putSearch(env, blockchain, settled))
    }
    if (why === 'paused' && proven === search.parts.length) {
      const message = `The blocks after ${txid} are still being searched for its next transactions. Try again in a moment.`
      throw unavailable('busy', message, { retryAfter: 1 })
    }
    const answer = answerOf(search, proven, why)
    if (answer.end !== 'complete') recent.set(key, { answer, until: now() + RECENT_MS }, JSON.stringify(answer).length)
    return answer
  } catch (error) {
    if (!(error instanceof ChainChanged)) throw error
    searches.delete(key)
    await deleteSearch(env.BUCKET, blockchain, txid)
    throw new AppError(502, 'node_bad_answer', 'The chain of the node has changed meanwhile. Try again.', {
      headers: { 'Retry-After': '1' },
      cause: error,
    })
  } finally {
    share.release()
  }
}

async function searchFrom(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  { blockchain, txid, missing }: BegunDoginal,
  kept: DoginalSearch | undefined,
): Promise<{ search: DoginalSearch; proven: number; end: SearchEnd | 'not_mined'; tip: number }> {
  const { rpc } = readConfig(env).chains[blockchain]
  const { height: tip } = await readTip(rpc)
  const height = kept ? kept.next : (await readPlaceOf(rpc, txid))?.height
  const from = kept ?? { parts: [{ txid, height: height ?? 0, missing }], next: height ?? 0 }
  if (height === undefined) return { search: from, proven: 1, end: 'not_mined', tip }
  const late = now() + SEARCH_MS
  const readBlock = blockReader(rpc, tip)
  const read = async (at: number) => {
    await returnToEventLoop()
    return await readBlock(at)
  }
  const { search, end } = await searchBlocks(from, { tip, read, isLate: () => now() >= late })
  const before = from.parts.length
  const txids = search.parts.slice(before).map((part) => part.txid)
  const checkpoint = checkpoints[blockchain]
  const proven = checkpoint ? await countProven(env, ctx, { blockchain, txids, checkpoint }) : 0
  return { search, proven: before + proven, end, tip }
}

/**
 * What of a search is kept: the parts that are proven, and no block from which on another one may take its place, or has a part
 * that is not proven. `undefined` where nothing is.
 */
function settledPart({ parts, next }: DoginalSearch, proven: number, tip: number): DoginalSearch | undefined {
  const [first, ...later] = parts
  const settled: [FoundPart, ...FoundPart[]] = [first, ...later.slice(0, proven - 1)]
  const unproven = parts[proven]?.height ?? next
  const until = Math.min(next, unproven, tip - SETTLED_DEPTH + 2)
  const { height } = lastOf(settled)
  return until > first.height || settled.length > 1 ? { parts: settled, next: Math.max(until, height) } : undefined
}

function answerOf({ parts }: DoginalSearch, proven: number, end: SearchEnd | 'not_mined'): FollowedParts {
  const { missing } = lastOf(parts)
  const why = proven < parts.length ? 'unproven' : end === 'paused' ? 'chain_ends' : end
  return { txids: parts.map(({ txid }) => txid), proven, missing, end: why }
}
