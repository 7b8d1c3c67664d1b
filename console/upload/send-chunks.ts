import { type RequestLog, Transport } from '../../client/http/transport.ts'
import { type ItemUploads, itemUploadsOf } from '../../client/resources/item-uploads.ts'
import { byteSource } from '../../client/store/byte-source.ts'
import { isBeginning, type SendChunk } from '../../client/store/send-files.ts'
import { transport } from '../api/client.ts'
import { options } from '../api/connection.ts'
import { credentials } from '../session/access.ts'
import { sendByXhr } from './send-by-xhr.ts'

/** A chunk may take long on a slow connection; {@link sendByXhr} detects a dead one. */
const TIMEOUT_MS = 3_600_000

/**
 * What creates items and sends their chunks, without an end over lost networks and busy services. `onPause` is called
 * with why it waits, and with `undefined` when it continues.
 */
export function patientUploads(
  signal: AbortSignal,
  onPause: (reason: 'offline' | 'busy' | undefined) => void,
): { items: ItemUploads; send: SendChunk } {
  const uploadsBy = (onSent?: (bytes: number) => void) => {
    const own = {
      ...options,
      fetch: (url: string, init: RequestInit) => sendByXhr(url, init, onSent),
      timeout: TIMEOUT_MS,
      retries: Number.POSITIVE_INFINITY,
      onRequest: ({ status, retryIn = 0 }: RequestLog) => {
        // What has left is not what arrived.
        if (retryIn > 0) onSent?.(0)
        onPause(retryIn === 0 ? undefined : status === 0 ? 'offline' : 'busy')
      },
    }
    return itemUploadsOf(new Transport(own, credentials))
  }
  return {
    items: uploadsBy(),
    send: ({ id, index, bytes, digest }, onSent) => uploadsBy(onSent).sendChunk(id, index, bytes, { digest, signal }),
  }
}

/**
 * Whether the chunks that the service has of an upload are the beginning of `file`.
 * @throws {HooklineError}
 */
export async function isBeginningOf(id: string, file: Blob): Promise<boolean> {
  return isBeginning(byteSource(file), await itemUploadsOf(transport).held(id))
}
