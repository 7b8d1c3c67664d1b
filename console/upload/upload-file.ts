import { Transport } from '../../client/http/transport.ts'
import { uploadsOf } from '../../client/resources/uploads.ts'
import { byteSource } from '../../client/store/byte-source.ts'
import { isUploadOf, type ResumableOptions, sendResumable } from '../../client/store/send-resumable.ts'
import { options } from '../api/connection.ts'
import { asFailure, problemOf } from '../api/failure.ts'
import type { OrderFile } from '../core/order.ts'
import { sleepUntilOnline } from '../events/sleep-until-online.ts'
import { credentials } from '../session/access.ts'
import { sendByXhr } from './send-by-xhr.ts'

/** A request of 8 MiB may take long on a slow connection; {@link sendByXhr} detects a dead one. */
const TIMEOUT_MS = 3_600_000

const uploads = uploadsOf(new Transport({ ...options, fetch: sendByXhr, timeout: TIMEOUT_MS }, credentials))

type Task = Omit<ResumableOptions, 'sleep' | 'onPause' | 'signal'> & {
  file: Blob
  signal: AbortSignal
  /** Why it pauses; undefined when it continues. */
  onPause(reason: 'offline' | 'busy' | undefined): void
}

/** Uploads a file to its end, over lost networks and expired tokens. Resolves to the final error, if any. */
export async function uploadFile({ file, ...task }: Task): Promise<OrderFile['problem']> {
  try {
    await sendResumable(uploads, byteSource(file), {
      ...task,
      sleep: sleepUntilOnline,
      onAcknowledged(bytes) {
        task.onPause(undefined)
        task.onAcknowledged(bytes)
      },
      onPause: (error) => task.onPause(asFailure(error).status === 0 ? 'offline' : 'busy'),
    })
    return undefined
  } catch (error) {
    return task.signal.aborted ? undefined : problemOf(error)
  }
}

/**
 * Whether the service's part of an upload is the beginning of `file`.
 * @throws {HooklineError}
 */
export function isBeginningOf(id: string, file: Blob): Promise<boolean> {
  return isUploadOf(uploads, id, byteSource(file))
}
