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
 * Makes the first Ctrl-C or SIGTERM end the command cleanly: prints at once what is stored and how to resume, and
 * aborts pending work. Nothing has to be cleaned up, because a kill at any moment can be resumed. The second signal
 * kills the process.
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
