import type { Writable } from 'node:stream'

/** Nobody reads the stream any more, as with `hookline ls | head -1`. */
export class ReaderGoneError extends Error {
  override name = 'ReaderGoneError'
}

/** What a failure of an output stream is: a closed pipe ends a command in order, a full disk is an error. */
export function outputError(error: Error): Error {
  return 'code' in error && error.code === 'EPIPE' ? new ReaderGoneError(error.message) : error
}

/**
 * Writes in order and waits while the reader is slower than we are, so that nothing is lost and nothing piles up.
 * @throws {ReaderGoneError} once the other end of the pipe is closed.
 * @throws {Error} of the system where the bytes can't be written, such as ENOSPC.
 */
export async function writeText(stream: Writable, data: string | Uint8Array): Promise<void> {
  if (stream.errored) throw outputError(stream.errored)
  if (stream.destroyed) throw new ReaderGoneError('The reader of the output has gone.')
  await new Promise<void>((resolve, reject) => {
    stream.write(data, (error) => {
      if (!error) resolve()
      else reject(outputError(error))
    })
  })
}
