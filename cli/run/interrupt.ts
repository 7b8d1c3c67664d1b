import { EXIT } from './exit-codes.ts'
import type { TextSink } from './outcome.ts'

const SIGNALS = {
  SIGINT: { exitCode: EXIT.cancelled, message: 'Cancelled by Ctrl-C.' },
  SIGTERM: { exitCode: EXIT.terminated, message: 'Ended by SIGTERM.' },
} as const

/** The person pressed Ctrl-C, or the system asked the process to end. */
export class CancelledError extends Error {
  override name = 'CancelledError'
  readonly exitCode: (typeof SIGNALS)[keyof typeof SIGNALS]['exitCode']

  constructor(signal: keyof typeof SIGNALS) {
    super(SIGNALS[signal].message)
    this.exitCode = SIGNALS[signal].exitCode
  }
}

/**
 * Makes the first Ctrl-C or SIGTERM end the command in order: it says at once what is kept and how to go on, and aborts
 * what waits. Nothing is cleaned up, since nothing has to be: a kill at any moment leaves the same. The second one kills,
 * by the system's own means.
 */
export function listenForInterrupt(stderr: TextSink, abort: (reason: Error) => void, kept: () => string): () => void {
  const stop = () => {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
  const onSignal = (signal: NodeJS.Signals) => {
    stop()
    stderr.write(`\nCancelled. ${kept()}\n`)
    abort(new CancelledError(signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT'))
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return stop
}
