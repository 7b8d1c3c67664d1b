/** One option, as help, completion, the document and `util.parseArgs` see it. */
export interface OptionSpec {
  /** Absent: the option is a switch. Else the name of its value in help. */
  value?: string
  short?: string
  /** May be given more than once. */
  many?: boolean
  /** All values that it takes. */
  choices?: readonly string[]
  text: string
}

/** One argument. Only the last may take several. */
export interface ArgumentSpec {
  name: string
  text: string
  optional?: boolean
  many?: boolean
  choices?: readonly string[]
  /** A shell completes names of files here. */
  file?: boolean
}

/** One row of the table that the command line, help, completion and docs/command.md are made from. */
export interface CommandSpec {
  /** One or two words, as typed. */
  name: string
  summary: string
  /** Paragraphs of the longer help. */
  details?: readonly string[]
  arguments: readonly ArgumentSpec[]
  options: Readonly<Record<string, OptionSpec>>
  examples: readonly string[]
  /** With --json one object a line instead of one document. */
  list?: boolean
}

/** Options that every command takes. */
export const GLOBAL_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  api: { value: 'url', text: 'The service to talk to (HOOKLINE_API).' },
  json: { text: 'Write one JSON document to stdout, for lists one object a line.' },
  jsonl: { text: 'Write events to stdout as they come, one JSON object a line; the last one is the result.' },
  'no-input': { text: 'Ask nothing; what would be asked is an error that names the option.' },
  'no-color': { text: 'Write no colours (NO_COLOR).' },
  help: { short: 'h', text: 'Say what the command does.' },
}
