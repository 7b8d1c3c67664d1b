import { Transport } from '../../client/http/transport.ts'
import { byteSource } from '../../client/put/byte-source.ts'
import { isHeld, type ResumableOptions, sendResumable } from '../../client/put/send-resumable.ts'
import { uploadsOf } from '../../client/resources/uploads.ts'
import { options } from '../api/connection.ts'
import { asFailure, problemOf } from '../api/failure.ts'
import type { OrderFile } from '../core/order.ts'
import { sleepUntilOnline } from '../events/sleep-until-online.ts'
import { credentials } from '../session/access.ts'
import { sendByXhr } from './send-by-xhr.ts'

/** A request of 8 MiB takes its time on a slow line; what is dead is found out by {@link sendByXhr}. */
const TIMEOUT_MS = 3_600_000

const uploads = uploadsOf(new Transport({ ...options, fetch: sendByXhr, timeout: TIMEOUT_MS }, credentials))

type Task = Omit<ResumableOptions, 'sleep' | 'onPause' | 'signal'> & {
  file: Blob
  signal: AbortSignal
  /** Something stopped it for now; undefined once it goes on. */
  onPause(reason: 'offline' | 'busy' | undefined): void
}

/** Uploads a file to its end, over lost networks and ended tokens. Resolves to what refused it for good, if anything did. */
export async function uploadFile({ file, ...task }: Task): Promise<OrderFile['problem']> {
  try {
    await sendResumable(uploads, byteSource(file), {
      ...task,
      sleep: sleepUntilOnline,
      onHeld(bytes) {
        task.onPause(undefined)
        task.onHeld(bytes)
      },
      onPause: (error) => task.onPause(asFailure(error).status === 0 ? 'offline' : 'busy'),
    })
    return undefined
  } catch (error) {
    return task.signal.aborted ? undefined : problemOf(error)
  }
}

/** Whether what the service holds of an upload is the beginning of `file`. @throws {HooklineError} */
export function isBeginningOf(id: string, file: Blob): Promise<boolean> {
  return isHeld(uploads, id, byteSource(file))
}
