import type { Writable } from 'node:stream'
import type { ErrorDetails } from './command-error.ts'
import type { ExitCode } from './exit-codes.ts'

/** What JSON can hold; results and events are of this. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** A stream to a person or a program. */
export type TextSink = Writable & { isTTY?: boolean; columns?: number; rows?: number }

/** What a command ended with. A failure that leaves a result (some files of a folder) is an outcome too. */
export interface Outcome {
  result: Json
  /** Lines for stdout where nobody asked for JSON. */
  text?: readonly string[]
  exitCode?: ExitCode
  error?: { code: string; message: string } & ErrorDetails
}
