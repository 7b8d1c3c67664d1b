import { MAX_RETRY_AFTER, parseRetryAfter } from '../../reader/retry-delay.ts'
import { sleep } from '../../reader/sleep.ts'
import { readerOf } from '../answers/read-answer.ts'
import { ApiError, HooklineError } from '../http/api-error.ts'
import { Fields } from '../http/parse-json.ts'
import type { ApiResponse, Transport } from '../http/transport.ts'
import type { Item } from '../types.ts'
import type { CallOptions } from './call-options.ts'

const readItem = readerOf('Item')

/** The outcome of one of several merges. */
export interface MergeOutcome {
  id: string
  item: Item | undefined
  refusal: ApiError | undefined
}

/** Options of a merge. */
export interface MergeOptions extends CallOptions {
  /**
   * Whether content of several transactions gets an index: one more transaction, whose txid alone is enough to read the
   * content. Default: on Nativecoin only.
   */
  index?: boolean | undefined
}

/** Most requests for one merge, about two seconds apart. */
const MAX_MERGE_CALLS = 1800

/** Requests a merge until it is done; repeating the request changes nothing. */
export async function merge(transport: Transport, path: string, { signal, index }: MergeOptions): Promise<Item> {
  for (let calls = 0; calls < MAX_MERGE_CALLS; calls++) {
    const { status, body, headers }: ApiResponse = await transport.send({
      method: 'POST',
      path,
      ...(index !== undefined && { json: { index } }),
      repeatable: true,
      signal,
    })
    if (status !== 202) return readItem(body)
    const seconds = parseRetryAfter(headers.get('Retry-After'), Date.now()) ?? 2
    await sleep(1000 * Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER), signal)
  }
  throw new HooklineError(
    'merge_timeout',
    'The service is still merging the upload. Run the same command or call again later.',
  )
}

/**
 * One entry of the response to a list of merges; `path` is for its error.
 * @internal
 */
export function readMergeOutcome(value: unknown, path: string): MergeOutcome {
  const outcome = new Fields(value, 'The merge')
  const id = outcome.string('id')
  if (outcome.has('item')) return { id, item: readItem(outcome.get('item')), refusal: undefined }
  const code = outcome.optionalString('code') ?? 'refused'
  const message = outcome.optionalString('message') ?? 'The item was not merged.'
  const missing = outcome.get('missing')
  const status = code === 'not_found' ? 404 : 409
  const details = Array.isArray(missing) ? { missing } : {}
  return { id, item: undefined, refusal: new ApiError({ status, code, message, method: 'POST', path, details }) }
}
