import { commandHelp, overviewHelp } from '../describe/help-text.ts'
import { Output } from '../output/output.ts'
import { ClosedPipeError, outputError } from '../output/write-text.ts'
import { findCommand } from '../parse/find-command.ts'
import { type ParsedLine, parseCommandLine } from '../parse/parse-command-line.ts'
import type { CommandSpec } from '../table/command-spec.ts'
import { COMMANDS } from '../table/command-table.ts'
import { CommandError } from './command-error.ts'
import type { Deps } from './context.ts'
import { describeFailure } from './describe-failure.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { CancelledError, listenForInterrupt } from './interrupt.ts'
import type { Outcome } from './outcome.ts'

/** Runs one command line to its end. Never throws; every failure becomes an exit code. */
export async function runCommandLine(deps: Deps): Promise<ExitCode> {
  const { env, stdout, stderr } = deps
  const controller = new AbortController()
  // A closed pipe is also an event of the stream. Without a listener it would crash the process.
  stdout.on('error', (error) => controller.abort(outputError(error)))
  stderr.on('error', () => undefined)
  let output = createOutput(deps, undefined, undefined)
  let kept = 'Nothing was sent.'
  const stopListening = listenForInterrupt(
    stderr,
    (reason) => controller.abort(reason),
    () => kept,
  )
  let outcome: Outcome
  try {
    const { command, rest } = findCommand(deps.argv, COMMANDS)
    if (!command) {
      const [group] = rest.filter((word) => COMMANDS.some(({ name }) => name.startsWith(`${word} `)))
      const options = rest.filter((word) => word !== group)
      const asked = options.every((word) => word.startsWith('-')) && parseCommandLine(NO_COMMAND, options).has('help')
      if (!asked) throw new CommandError(EXIT.usage, 'usage', 'The command is missing.', { hint: 'See hookline help.' })
      const listed = COMMANDS.filter(({ name }) => group === undefined || name.startsWith(`${group} `))
      outcome = { result: null, text: [overviewHelp(listed)] }
    } else {
      // An invalid option is reported under the command's name.
      output = createOutput(deps, command, undefined)
      const line = parseCommandLine(command, rest)
      output = createOutput(deps, command, line)
      if (line.has('help')) outcome = { result: null, text: [commandHelp(command)] }
      else {
        const { run } = await command.load()
        const { signal } = controller
        const keep = (sentence: string) => {
          kept = sentence
        }
        outcome = await run({ ...deps, command, commands: COMMANDS, line, output, signal, keep })
      }
    }
  } catch (error) {
    const { reason } = controller.signal
    // An abort makes pending work fail in many ways; the reason to report is that of the abort.
    const cause = controller.signal.aborted && reason instanceof Error ? reason : error
    if (cause instanceof ClosedPipeError) return EXIT.done
    outcome = describeFailure(cause, env, kept)
    output.errorPrinted = cause instanceof CancelledError
  }
  stopListening()
  try {
    await output.finish(outcome)
  } catch (error) {
    if (error instanceof ClosedPipeError) return outcome.exitCode ?? EXIT.done
    const failure = describeFailure(error, env, kept)
    if (failure.error) output.printError(failure.error)
    return failure.exitCode ?? EXIT.unexpected
  }
  return outcome.exitCode ?? EXIT.done
}

/** Before the command is known, --help and the options for all commands are valid. */
const NO_COMMAND: CommandSpec = {
  name: '',
  summary: '',
  arguments: [],
  options: {},
  examples: [],
}

function createOutput(
  { argv, env, stdout, stderr, now }: Deps,
  command: CommandSpec | undefined,
  line: ParsedLine | undefined,
): Output {
  // An invalid command line is reported in the requested format, as far as that can be parsed.
  const has = (name: string) => line?.has(name) ?? argv.includes(`--${name}`)
  return new Output({
    command: command?.name ?? '',
    list: command?.list ?? false,
    mode: has('json') ? 'json' : has('jsonl') ? 'jsonl' : 'text',
    stdout,
    stderr,
    env,
    noColor: has('no-color'),
    now,
  })
}
