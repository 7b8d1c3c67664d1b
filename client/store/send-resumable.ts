import { retryDelay } from '../../reader/retry-delay.ts'
import type { sleep } from '../../reader/sleep.ts'
import { ApiError, HooklineError } from '../http/api-error.ts'
import type { CallOptions } from '../resources/call-options.ts'
import type { NewItem } from '../resources/item-uploads.ts'
import type { uploadsOf } from '../resources/uploads.ts'
import { readSlice } from './byte-source.ts'
import type { ByteSource } from './put-content.ts'
import { isBeginning } from './send-files.ts'

type Uploads = ReturnType<typeof uploadsOf>

/** Bytes of one request. Proxies accept 8 to 32 MiB, and a phone can hold this in memory. */
const PART_BYTES = 8 << 20
/** Content up to this size is sent with the request that begins its upload. */
const ONE_REQUEST_BYTES = 1 << 20
/** Statuses that may change at the next attempt: another offset, a part that is still being written, too early. */
const UNSETTLED = new Set([409, 423, 425])

export interface ResumableOptions extends CallOptions {
  /** The id of an upload that was begun; `undefined` to begin one. */
  id: string | undefined
  item: NewItem
  /** Whether to compare what the service has with the content before sending more. */
  compare: boolean
  sleep: typeof sleep
  /**
   * Resolves when the id is stored. Before that no byte is sent, except content that is sent with the first request.
   */
  onId(id: string): Promise<void>
  /** Bytes that the service has acknowledged. */
  onAcknowledged(bytes: number): void
  /** Called with the error that pauses the upload. */
  onPause(error: unknown): void
}

/**
 * Uploads content to its end. Retries without limit over lost networks and busy services.
 * @throws {HooklineError} the error that ends it for good; `other_content` if the service has the beginning of
 * something else
 */
export async function sendResumable(uploads: Uploads, source: ByteSource, options: ResumableOptions): Promise<void> {
  const { signal, item, onAcknowledged } = options
  let { id, compare } = options
  let offset: number | undefined
  let most = 0
  for (let failures = 0; ; ) {
    try {
      if (id === undefined) {
        const whole = source.size > 0 && source.size <= ONE_REQUEST_BYTES
        const first = whole ? await readSlice(source, 0, source.size) : undefined
        ;({ id, offset } = await uploads.begin(item, first, { signal }))
        await options.onId(id)
      }
      if (compare && !(await isUploadOf(uploads, id, source, { signal }))) {
        throw new HooklineError('other_content', 'This upload was begun with other content. Begin a new one.')
      }
      compare = false
      for (offset ??= await uploads.offset(id, { signal }); ; ) {
        if (offset > most) failures = 0
        most = offset
        onAcknowledged(offset)
        if (offset >= source.size) return
        const bytes = await readSlice(source, offset, Math.min(offset + PART_BYTES, source.size))
        offset = await uploads.append(id, offset, bytes, { signal })
      }
    } catch (error) {
      signal?.throwIfAborted()
      const delay = delayAfter(error, failures++)
      if (delay === undefined) throw error
      options.onPause(error)
      offset = undefined
      await options.sleep(delay, signal)
    }
  }
}

/** Whether the chunks that the service has of an upload are the beginning of `source`. */
export async function isUploadOf(
  uploads: Uploads,
  id: string,
  source: ByteSource,
  { signal }: CallOptions = {},
): Promise<boolean> {
  return await isBeginning(source, await uploads.hashes(id, { signal }))
}

/** Milliseconds until the next attempt; `undefined` if none can succeed. */
function delayAfter(error: unknown, retries: number): number | undefined {
  if (!(error instanceof HooklineError)) return undefined
  const { status, code } = error
  if (status === 0 && code !== 'network' && code !== 'timeout') return undefined
  const wanted = error instanceof ApiError ? error.retryAfter : undefined
  return retryDelay(
    {
      retries,
      status: status === 0 ? undefined : UNSETTLED.has(status) || status > 500 ? 503 : status,
      retryAfter: wanted === undefined ? null : String(wanted),
      repeatable: true,
      most: Number.POSITIVE_INFINITY,
    },
    Date.now(),
    Math.random(),
  )
}
