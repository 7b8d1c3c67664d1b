import type { Readable, Writable } from 'node:stream'
import type { Output } from '../output/output.ts'
import type { ParsedLine } from '../parse/parse-command-line.ts'
import type { CommandSpec } from '../table/command-spec.ts'
import type { ErrorDetails } from './command-error.ts'
import type { ExitCode } from './exit-codes.ts'

/** What JSON can hold; results and events are of this. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** A stream to a person or a program. */
export type TextSink = Writable & { isTTY?: boolean; columns?: number; rows?: number }

/** The rim of the command: everything that it has from outside, so that a test can give it something else. */
export interface Surroundings {
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  stdin: Readable & { isTTY?: boolean }
  stdout: TextSink
  stderr: TextSink
  /** Milliseconds since 1970. */
  now: () => number
  fetch: typeof fetch
  version: string
}

/** What a command is run with. */
export interface Context extends Surroundings {
  command: CommandSpec
  commands: readonly CommandSpec[]
  line: ParsedLine
  output: Output
  /** Aborted by Ctrl-C and when nobody reads stdout any more. */
  signal: AbortSignal
  /** Sets the sentence that Ctrl-C prints: what is kept, and how to go on. */
  keep: (sentence: string) => void
}

/** What a command ended with. A failure that leaves a result (some files of a folder) is an outcome too. */
export interface Outcome {
  result: Json
  /** Lines for stdout where nobody asked for JSON. */
  text?: readonly string[]
  exitCode?: ExitCode
  error?: { code: string; message: string } & ErrorDetails
}

export type RunCommand = (context: Context) => Promise<Outcome>
