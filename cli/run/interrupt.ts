import type { TextSink } from './outcome.ts'

/** The person pressed Ctrl-C. */
export class CancelledError extends Error {
  override name = 'CancelledError'
}

/**
 * Makes the first Ctrl-C end the command in order: it says at once what is kept and how to go on, and aborts what waits.
 * Nothing is cleaned up, since nothing has to be: a kill at any moment leaves the same. The second one kills, by the
 * system's own means.
 */
export function listenForInterrupt(stderr: TextSink, abort: (reason: Error) => void, kept: () => string): () => void {
  const onSignal = () => {
    stderr.write(`\nCancelled. ${kept()}\n`)
    abort(new CancelledError('Cancelled by Ctrl-C.'))
  }
  process.once('SIGINT', onSignal)
  return () => process.off('SIGINT', onSignal)
}
