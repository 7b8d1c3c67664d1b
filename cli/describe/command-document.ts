import { EXIT_MEANINGS } from '../run/exit-codes.ts'
import { type CommandSpec, GLOBAL_OPTIONS, type OptionSpec } from '../table/command-spec.ts'
import { argumentForm, optionForm, usageLine, VERSION_OPTION } from './help-text.ts'
import { ENVIRONMENT, TOPICS } from './topics.ts'

const INTRODUCTION = `One file without dependencies, for Node 20.12 or newer. This page is made from the table of commands
in \`cli/table/\` by \`npm run docs:command\`.`

/** The text of docs/command.md, generated from the command table; a test compares both. */
export function commandDocument(commands: readonly CommandSpec[]): string {
  const parts = [
    '# The command `hookline`',
    INTRODUCTION,
    ...commands.flatMap(section),
    '## Options of every command',
    options({ ...GLOBAL_OPTIONS, version: VERSION_OPTION }),
    '## Exit codes',
    list(Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [code, meaning])),
    '## Environment',
    list(ENVIRONMENT.map(([name, text]) => [`\`${name}\``, text])),
    '## JSON',
    `\`\`\`text\n${TOPICS.json?.() ?? ''}\n\`\`\``,
  ]
  return `${parts.join('\n\n')}\n`
}

function section(command: CommandSpec): string[] {
  const parts = [
    `## ${command.name}`,
    command.summary,
    `\`\`\`sh\n${usageLine(command)}\n\`\`\``,
    ...(command.details ?? []),
  ]
  if (command.arguments.length > 0) {
    parts.push(list(command.arguments.map((spec) => [`\`${argumentForm(spec)}\``, spec.text])))
  }
  if (Object.keys(command.options).length > 0) parts.push(options(command.options))
  if (command.examples.length > 0) parts.push(`\`\`\`sh\n${command.examples.join('\n')}\n\`\`\``)
  return parts
}

function options(specs: Readonly<Record<string, OptionSpec>>): string {
  return list(Object.entries(specs).map(([name, spec]) => [`\`${optionForm(name, spec)}\``, spec.text]))
}

function list(entries: readonly (readonly [string, string])[]): string {
  return entries.map(([left, right]) => `- ${left}: ${right}`).join('\n')
}
