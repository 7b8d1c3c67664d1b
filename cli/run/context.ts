import type { Readable } from 'node:stream'
import type { Output } from '../output/output.ts'
import type { ParsedLine } from '../parse/parse-command-line.ts'
import type { CommandSpec } from '../table/command-spec.ts'
import type { Outcome, TextSink } from './outcome.ts'

/** The rim of the command: everything that it has from outside, so that a test can give it something else. */
export interface Deps {
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
export interface Context extends Deps {
  command: CommandSpec
  commands: readonly CommandSpec[]
  line: ParsedLine
  output: Output
  /** Aborted by Ctrl-C and when nobody reads stdout any more. */
  signal: AbortSignal
  /** Sets the sentence that Ctrl-C prints: what is kept, and how to go on. */
  keep: (sentence: string) => void
}

type RunCommand = (context: Context) => Promise<Outcome>

/** A row of the table with its code. */
export interface Command extends CommandSpec {
  /** Brings the code of the command, which is evaluated only when the command runs. */
  load: () => Promise<{ run: RunCommand }>
}
