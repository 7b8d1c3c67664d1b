import { EXIT_MEANINGS } from '../run/exit-codes.ts'
import { type ArgumentSpec, type CommandSpec, GLOBAL_OPTIONS, type OptionSpec } from '../table/command-spec.ts'

/** What takes no command. */
export const VERSION_OPTION: OptionSpec = { text: 'Print the version; without a command and other options.' }

/** `hookline put <what> --to <target> [options]` */
export function usageLine(command: CommandSpec): string {
  const words = command.arguments.map(argumentForm)
  return ['hookline', command.name, ...words, '[options]'].join(' ')
}

export function argumentForm({ name, optional, many }: ArgumentSpec): string {
  const form = `<${name}>${many ? '…' : ''}`
  return optional ? `[${form}]` : form
}

/** `-o, --output <path>` */
export function optionForm(name: string, { value, short }: OptionSpec): string {
  return `${short ? `-${short}, ` : ''}--${name}${value === undefined ? '' : ` <${value}>`}`
}

/** The help of one command. */
export function commandHelp(command: CommandSpec): string {
  const parts = [`Usage: ${usageLine(command)}`, '', command.summary]
  for (const paragraph of command.details ?? []) parts.push('', wrap(paragraph, 0))
  if (command.arguments.length > 0) {
    parts.push('', 'Arguments:', ...rows(command.arguments.map((spec) => [argumentForm(spec), spec.text])))
  }
  parts.push('', 'Options:', ...optionRows({ ...command.options, ...GLOBAL_OPTIONS }))
  if (command.examples.length > 0) parts.push('', 'Examples:', ...command.examples.map((line) => `  ${line}`))
  return parts.join('\n')
}

/** The help without a command. */
export function overviewHelp(commands: readonly CommandSpec[]): string {
  return [
    'Usage: hookline <command> [options]',
    '',
    'Stores files on Bitcoin-family chains and IPFS through a Hookline service, and reads them back verified.',
    '',
    'Commands:',
    ...rows(commands.map(({ name, summary }) => [name, summary])),
    '',
    'Options of every command:',
    ...optionRows({ ...GLOBAL_OPTIONS, version: VERSION_OPTION }),
    '',
    'See also hookline <command> --help, and hookline help json, exit-codes or environment.',
  ].join('\n')
}

/** The exit codes, as `hookline help exit-codes` prints them. */
export function exitCodesHelp(): string {
  return ['Exit codes:', ...rows(Object.entries(EXIT_MEANINGS)), '', 'Any other number is a failure.'].join('\n')
}

function optionRows(options: Readonly<Record<string, OptionSpec>>): string[] {
  return rows(Object.entries(options).map(([name, spec]) => [optionForm(name, spec), spec.text]))
}

/** Lines with two columns. */
export function rows(entries: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(30, Math.max(...entries.map(([left]) => left.length)))
  return entries.map(([left, right]) => {
    const lead = left.length > width ? `  ${left}\n${' '.repeat(width + 4)}` : `  ${left.padEnd(width)}  `
    return lead + wrap(right, width + 4)
  })
}

/** Text wrapped at 96 columns, with later lines indented. */
function wrap(text: string, indent: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > 96 - indent) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`)
}
