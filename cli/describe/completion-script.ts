import { type CommandSpec, GLOBAL_OPTIONS, type OptionSpec } from '../table/command-spec.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** The script for a shell that completes commands, options and their values. */
export function completionScript(shell: Shell, commands: readonly CommandSpec[]): string {
  if (shell === 'fish') return fishScript(commands)
  const bash = bashScript(commands)
  return shell === 'bash' ? bash : `autoload -Uz bashcompinit && bashcompinit\n${bash}`
}

const allOptions = (command: CommandSpec): Record<string, OptionSpec> => ({ ...command.options, ...GLOBAL_OPTIONS })
const firstWords = (commands: readonly CommandSpec[]) => [
  ...new Set(commands.map(({ name }) => name.split(' ')[0] ?? '')),
]
const takesFiles = (command: CommandSpec) => command.arguments.some(({ file }) => file)
const wordChoices = (command: CommandSpec) => command.arguments.flatMap(({ choices }) => choices ?? [])

function bashScript(commands: readonly CommandSpec[]): string {
  const caseOf = (command: CommandSpec) => {
    const options = Object.keys(allOptions(command)).map((name) => `--${name}`)
    const words = [...wordChoices(command), ...options].join(' ')
    return `    ${JSON.stringify(command.name)}) words=${JSON.stringify(words)}; files=${takesFiles(command) ? 1 : 0} ;;`
  }
  const pairs = commands.filter(({ name }) => name.includes(' '))
  const singles = commands.filter(({ name }) => !name.includes(' '))
  const values = new Map<string, readonly string[]>()
  for (const command of commands) {
    for (const [name, { choices }] of Object.entries(allOptions(command))) if (choices) values.set(name, choices)
  }
  const valueCases = [...values].map(([name, choices]) => {
    return `    --${name}) COMPREPLY=($(compgen -W ${JSON.stringify(choices.join(' '))} -- "$current")); return ;;`
  })
  const second = firstWords(commands).flatMap((first) => {
    const below = commands
      .filter(({ name }) => name.startsWith(`${first} `))
      .map(({ name }) => name.slice(first.length + 1))
    return below.length > 0 ? [`    ${first}) below=${JSON.stringify(below.join(' '))} ;;`] : []
  })
  return `_hookline() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} first=\${COMP_WORDS[1]} words= files=0 below=
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W ${JSON.stringify(firstWords(commands).join(' '))} -- "$current"))
    return
  fi
  case $previous in
${valueCases.join('\n')}
  esac
  case $first in
${second.join('\n')}
  esac
  case "$first \${COMP_WORDS[2]}" in
${pairs.map(caseOf).join('\n')}
    *) case $first in
${singles.map(caseOf).join('\n')}
    esac ;;
  esac
  [ "$COMP_CWORD" = 2 ] && words="$below $words"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ "$files" = 1 ] && COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _hookline hookline
`
}

function fishScript(commands: readonly CommandSpec[]): string {
  const lines = ['complete -c hookline -f']
  for (const first of firstWords(commands)) {
    const summary = commands.find(({ name }) => name === first)?.summary ?? ''
    lines.push(`complete -c hookline -n __fish_use_subcommand -a ${first} -d ${quote(summary)}`)
  }
  for (const command of commands) {
    const [first = '', below] = command.name.split(' ')
    const seen = `-n '__fish_seen_subcommand_from ${below ?? first}'`
    if (below) lines.push(`complete -c hookline -n '__fish_seen_subcommand_from ${first}' -a ${below}`)
    if (takesFiles(command)) lines.push(`complete -c hookline ${seen} -F`)
    const choices = wordChoices(command)
    if (choices.length > 0) lines.push(`complete -c hookline ${seen} -a ${quote(choices.join(' '))}`)
    for (const [name, { short, value, choices: values, text }] of Object.entries(allOptions(command))) {
      const parts = [`complete -c hookline ${seen} -l ${name}`, short ? `-s ${short}` : '', value ? '-r' : '']
      if (values) parts.push(`-a ${quote(values.join(' '))}`)
      lines.push([...parts.filter(Boolean), `-d ${quote(text)}`].join(' '))
    }
  }
  return `${lines.join('\n')}\n`
}

const quote = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`
