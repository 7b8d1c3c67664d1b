import { logOnceAMinute } from '../records/log-once-a-minute.ts'
/**
 * Writes parts as they are made, and closes the stream. Where the reader has left, or a part fails, it aborts the stream
 * instead, so that a cut body does not look complete. Never throws.
 */
export async function writeParts(
  writable: WritableStream<Uint8Array>,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const writer = writable.getWriter()
  // They reject when the reader leaves; the write fails with the same error.
  writer.closed.catch(() => {})
  writer.ready.catch(() => {})
  try {
    for await (const part of parts) await writer.write(part)
    await writer.close()
  } catch (error) {
    await writer.abort(error).catch(() => {})
    logOnceAMinute('warn', 'stream_ended_early', error instanceof Error ? error.message : error)
  }
}
