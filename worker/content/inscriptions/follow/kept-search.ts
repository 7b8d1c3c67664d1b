import type { Blockchain } from '../../../../protocol/chains.ts'
import { MAX_DOGINAL_TRANSACTIONS } from '../../../../protocol/inscriptions/content-name.ts'
import type { Env } from '../../../platform/bindings.ts'
import { now } from '../../../platform/clock.ts'
import { isRecord } from '../../../platform/http/is-record.ts'
import { logOnceAMinute } from '../../../platform/records/log-once-a-minute.ts'
import { admitToCache } from '../../cache/admit-to-cache.ts'
import { DOGINALS_PREFIX } from '../../chain/list-mark.ts'
import type { DoginalSearch, FoundPart } from './search-doginal.ts'

const keyOf = (blockchain: Blockchain, txid: string) => `${DOGINALS_PREFIX}${blockchain}/${txid}`

/** What was kept of the search for a doginal's transactions; what has another form is not found. */
export async function getSearch(
  bucket: Pick<R2Bucket, 'get'>,
  blockchain: Blockchain,
  txid: string,
): Promise<DoginalSearch | undefined> {
  const object = await bucket.get(keyOf(blockchain, txid))
  const search = object && parseSearch(await object.text())
  return search?.parts[0].txid === txid ? search : undefined
}

/**
 * Keeps a search for good, whose transactions are proven and whose blocks nobody replaces any more, where the cache admits so
 * much in this hour. A failure is logged.
 */
export async function putSearch(env: Env, blockchain: Blockchain, search: DoginalSearch): Promise<void> {
  const [{ txid }] = search.parts
  const text = JSON.stringify(search)
  try {
    if (await admitToCache(env, 'chain', text.length, now())) await env.BUCKET.put(keyOf(blockchain, txid), text)
  } catch (error) {
    logOnceAMinute('error', 'content_not_kept', txid, error)
  }
}

/** Forgets a search whose chain was replaced. */
export async function deleteSearch(bucket: Pick<R2Bucket, 'delete'>, blockchain: Blockchain, txid: string) {
  await bucket.delete(keyOf(blockchain, txid))
}

function parseSearch(text: string): DoginalSearch | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value) || !Array.isArray(value.parts) || value.parts.length > MAX_DOGINAL_TRANSACTIONS)
      return undefined
    const [first, ...later] = value.parts.map(parsePart)
    return first && typeof value.next === 'number' ? { parts: [first, ...later], next: value.next } : undefined
  } catch {
    return undefined
  }
}

/** @throws {TypeError} */
function parsePart(value: unknown): FoundPart {
  const { txid, height, missing } = isRecord(value) ? value : {}
  if (typeof txid === 'string' && typeof height === 'number' && typeof missing === 'number') {
    return { txid, height, missing }
  }
  throw new TypeError('no part of a doginal')
}
