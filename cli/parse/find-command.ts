import { usageError } from '../run/command-error.ts'
import { type CommandSpec, GLOBAL_OPTIONS } from '../table/command-spec.ts'
import { didYouMean } from './nearest-name.ts'

/** The command that a command line names, and the remaining words. */
export interface FoundCommand<Row extends CommandSpec> {
  command: Row | undefined
  rest: string[]
}

/**
 * Finds the command of a command line; options for all commands may precede it. An empty command line, or one word of
 * two with --help, is no error: the caller prints the help.
 * @throws {CommandError} 2 for an unknown command, with the nearest name
 */
export function findCommand<Row extends CommandSpec>(
  argv: readonly string[],
  commands: readonly Row[],
): FoundCommand<Row> {
  const start = firstWord(argv)
  const word = argv[start]
  if (word === undefined) return { command: undefined, rest: [...argv] }
  const before = argv.slice(0, start)
  const second = argv[start + 1]
  const pair = commands.find(({ name }) => second !== undefined && name === `${word} ${second}`)
  if (pair) return { command: pair, rest: [...before, ...argv.slice(start + 2)] }
  const single = commands.find(({ name }) => name === word)
  if (single) return { command: single, rest: [...before, ...argv.slice(start + 1)] }
  const isGroup = commands.some(({ name }) => name.startsWith(`${word} `))
  if (isGroup && argv.some((each) => each === '--help' || each === '-h')) return { command: undefined, rest: [...argv] }
  throw unknown(word, second, commands)
}

/** Index of the first word that is neither an option nor its value. */
function firstWord(argv: readonly string[]): number {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? ''
    if (!word.startsWith('-') || word === '-') return index
    if (word === '--') return argv.length
    const takesValue = GLOBAL_OPTIONS[word.slice(2)]?.value !== undefined
    if (takesValue) index++
  }
  return argv.length
}

function unknown(word: string, second: string | undefined, commands: readonly CommandSpec[]) {
  const names = commands.map(({ name }) => name)
  const below = names.filter((name) => name.startsWith(`${word} `))
  const typed = below.length > 0 && second !== undefined ? `${word} ${second}` : word
  const message =
    below.length > 0 && second === undefined
      ? `${word} needs one more word: ${below.join(', ')}.`
      : `There is no command ${JSON.stringify(typed)}.`
  const firsts = [...new Set(names.map((name) => name.split(' ')[0] ?? name))]
  return usageError(message, didYouMean(typed, below.length > 0 ? below : firsts, 'hookline ') ?? 'See hookline help.')
}
