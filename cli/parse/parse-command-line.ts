import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { type CommandError, usageError } from '../run/command-error.ts'
import { type ArgumentSpec, type CommandSpec, GLOBAL_OPTIONS, type OptionSpec } from '../table/command-spec.ts'
import { didYouMean } from './nearest-name.ts'

/** The words after the command's name, validated against its row of the table. */
export class ParsedLine {
  readonly #values: ReadonlyMap<string, readonly string[]>
  readonly words: readonly string[]

  constructor(values: ReadonlyMap<string, readonly string[]>, words: readonly string[]) {
    this.#values = values
    this.words = words
  }

  /** Whether a switch was given. */
  has(name: string): boolean {
    return this.#values.has(name)
  }

  /** The value of an option, if given. */
  value(name: string): string | undefined {
    return this.#values.get(name)?.[0]
  }

  /** All values of an option that may be repeated. */
  values(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }

  /** The argument at `index`. Required arguments always exist. */
  word(index: number): string {
    return this.words[index] ?? ''
  }
}

/**
 * Parses the words after the command's name.
 * @throws {CommandError} 2, with the nearest valid name
 */
export function parseCommandLine(command: CommandSpec, rest: readonly string[]): ParsedLine {
  const specs = { ...GLOBAL_OPTIONS, ...command.options }
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, { value, short }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: true,
        ...(short && { short }),
      },
    ]),
  )
  let parsed: { values: Record<string, unknown>; positionals: string[] }
  try {
    parsed = parseArgs({ args: optionsFirst(command, rest, options), options, strict: true, allowPositionals: true })
  } catch (error) {
    throw explain(error, command, specs, rest)
  }
  const values = new Map<string, readonly string[]>()
  for (const [name, given] of Object.entries(parsed.values)) {
    const texts = Array.isArray(given) ? given.map(String) : [String(given)]
    const spec = specs[name]
    if (spec) checkOption(name, spec, texts)
    values.set(name, texts)
  }
  // With --help other words need not be valid.
  if (!values.has('help')) checkWords(command, parsed.positionals)
  if (values.has('json') && values.has('jsonl')) throw usageError('--json and --jsonl exclude each other.')
  return new ParsedLine(values, parsed.positionals)
}

/**
 * After `--` arguments may begin with a dash, as many as the command has. Options after them are still options, unless
 * the last argument accepts any number.
 */
function optionsFirst(
  { arguments: specs }: CommandSpec,
  rest: readonly string[],
  options: ParseArgsOptionsConfig,
): string[] {
  const { tokens } = parseArgs({ args: [...rest], options, strict: false, allowPositionals: true, tokens: true })
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index
  if (end === undefined || specs.at(-1)?.many) return [...rest]
  const before = tokens.filter(({ kind, index }) => kind === 'positional' && index < end).length
  const needed = specs.filter(({ optional }) => !optional).length
  let behind = end + 1 + Math.max(0, needed - before)
  while (behind - end - 1 + before < specs.length && !rest[behind]?.startsWith('-')) behind++
  return [...rest.slice(0, end), ...rest.slice(behind), ...rest.slice(end, behind)]
}

function checkOption(name: string, spec: OptionSpec, texts: readonly string[]): void {
  if (texts.length > 1 && !spec.many) throw usageError(`--${name} was given ${texts.length} times; give it once.`)
  for (const text of spec.value === undefined ? [] : texts) {
    if (text === '') throw usageError(`--${name} is empty; it needs a value: ${spec.value}.`)
    if (spec.choices) checkChoice(`--${name}`, text, spec.choices)
  }
}

function checkChoice(what: string, text: string, choices: readonly string[]): void {
  if (choices.includes(text.toLowerCase())) return
  throw usageError(`${what} takes ${choices.join(', ')}, not ${JSON.stringify(text)}.`, didYouMean(text, choices))
}

function checkWords(command: CommandSpec, words: readonly string[]): void {
  const specs = command.arguments
  const last = specs.at(-1)
  const missing = specs.find((spec, index) => !spec.optional && words[index] === undefined)
  if (missing) throw usageError(`hookline ${command.name} needs ${article(missing)}.`, usageHint(command))
  if (!last?.many && words.length > specs.length) {
    const extra = words[specs.length] ?? ''
    throw usageError(`${JSON.stringify(extra)} is one argument too many.`, usageHint(command))
  }
  for (const [index, word] of words.entries()) {
    const spec = specs[index] ?? last
    if (spec?.choices) checkChoice(spec.name, word, spec.choices)
  }
}

const article = ({ name, text }: ArgumentSpec) =>
  `<${name}>: ${text.charAt(0).toLowerCase()}${text.slice(1)}`.replace(/\.$/, '')
const usageHint = ({ name }: CommandSpec) => `See hookline ${name} --help.`

/** Our message for an error of `parseArgs`. It never repeats a value, which may be a secret. */
function explain(
  error: unknown,
  command: CommandSpec,
  specs: Record<string, OptionSpec>,
  rest: readonly string[],
): CommandError {
  const { tokens } = parseArgs({ args: [...rest], strict: false, allowPositionals: true, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const short = token.rawName.length === 2 && !token.rawName.startsWith('--')
    const name = short ? Object.keys(specs).find((long) => specs[long]?.short === token.name) : token.name
    const spec = name === undefined ? undefined : specs[name]
    if (!spec) {
      const hint = short ? undefined : didYouMean(token.name, Object.keys(specs), '--')
      return usageError(`hookline ${command.name} has no option ${token.rawName}.`, hint ?? usageHint(command))
    }
    if (spec.value === undefined && token.inlineValue) return usageError(`--${name} takes no value.`)
    if (spec.value !== undefined && needsValue(token.index, rest, token.inlineValue)) {
      return usageError(
        `--${name} needs a value: ${spec.value}.`,
        `A value that begins with - is written --${name}=-….`,
      )
    }
  }
  return usageError(error instanceof Error ? error.message : String(error), usageHint(command))
}

function needsValue(index: number, rest: readonly string[], inline: boolean | undefined): boolean {
  const next = rest[index + 1]
  return !inline && (next === undefined || (next.startsWith('-') && next !== '-'))
}
