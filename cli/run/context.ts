import type { Readable } from 'node:stream'
import type { Output } from '../output/output.ts'
import type { ParsedLine } from '../parse/parse-command-line.ts'
import type { CommandSpec } from '../table/command-spec.ts'
import type { Outcome, TextSink } from './outcome.ts'

/** Everything that the command uses from outside, so that a test can replace it. */
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

/** What a command receives when it runs. */
export interface Context extends Deps {
  command: CommandSpec
  commands: readonly CommandSpec[]
  line: ParsedLine
  output: Output
  /** Aborted by Ctrl-C, and when the reader of stdout has closed it. */
  signal: AbortSignal
  /** Sets the sentence that Ctrl-C prints: what is stored, and how to resume. */
  keep: (sentence: string) => void
}

type RunCommand = (context: Context) => Promise<Outcome>

/** A row of the command table with the code of the command. */
export interface Command extends CommandSpec {
  /** Loads the code of the command, only when it runs. */
  load: () => Promise<{ run: RunCommand }>
}
