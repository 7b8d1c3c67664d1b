import type { Writable } from 'node:stream'
import type { Json } from '../../client/types.ts'
import type { ErrorDetails } from './command-error.ts'
import type { ExitCode } from './exit-codes.ts'

export type { Json } from '../../client/types.ts'

/** An output stream. */
export type TextSink = Writable & { isTTY?: boolean; columns?: number; rows?: number }

/** The outcome of a command. A failure can have a result too, such as some files of a folder. */
export interface Outcome {
  result: Json
  /** Lines for stdout without --json. */
  text?: readonly string[]
  exitCode?: ExitCode
  error?: { code: string; message: string } & ErrorDetails
}
