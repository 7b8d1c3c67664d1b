import type { Writable } from 'node:stream'

/**
 * The reader of the stream has closed it, as with `hookline ls
 * head -1`.
 */
export class ClosedPipeError extends Error {
  override name = 'ClosedPipeError'
}

/** The error for a failed output stream: a closed pipe ends a command without an error, a full disk is an error. */
export function outputError(error: Error): Error {
  return 'code' in error && error.code === 'EPIPE' ? new ClosedPipeError(error.message) : error
}

/**
 * Writes in order and waits for a slow reader, so that nothing is lost or buffered without limit.
 * @throws {ClosedPipeError} if the pipe is closed
 * @throws {Error} of the system if the bytes cannot be written, such as ENOSPC
 */
export async function writeText(stream: Writable, data: string | Uint8Array): Promise<void> {
  if (stream.errored) throw outputError(stream.errored)
  if (stream.destroyed) throw new ClosedPipeError('The reader of the output has closed it.')
  await new Promise<void>((resolve, reject) => {
    stream.write(data, (error) => {
      if (!error) resolve()
      else reject(outputError(error))
    })
  })
}
