/** One option, as used by help, completion, docs/command.md and `util.parseArgs`. */
export interface OptionSpec {
  /** Name of the value in help. Absent: the option is a switch. */
  value?: string
  short?: string
  /** May be repeated. */
  many?: boolean
  /** All valid values. */
  choices?: readonly string[]
  text: string
}

/** One argument. Only the last one may be repeated. */
export interface ArgumentSpec {
  name: string
  text: string
  optional?: boolean
  many?: boolean
  choices?: readonly string[]
  /** The shell completes file names here. */
  file?: boolean
}

/** One row of the table that the parser, help, completion and docs/command.md use. */
export interface CommandSpec {
  /** One or two words, as typed. */
  name: string
  summary: string
  /** Paragraphs of the long help. */
  details?: readonly string[]
  arguments: readonly ArgumentSpec[]
  options: Readonly<Record<string, OptionSpec>>
  examples: readonly string[]
  /** With --json: one object a line instead of one document. */
  list?: boolean
}

/** Options of every command. */
export const GLOBAL_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  api: { value: 'url', text: 'The service to talk to (HOOKLINE_API).' },
  json: { text: 'Write one JSON document to stdout; lists are one object a line.' },
  jsonl: { text: 'Write events to stdout as they happen, one JSON object a line; the last one is the result.' },
  'no-input': { text: 'Never ask; a question becomes an error that names the option to use.' },
  'no-color': { text: 'Write no colours (NO_COLOR).' },
  help: { short: 'h', text: 'Show the help of the command.' },
}
