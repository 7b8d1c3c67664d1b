import { BLOCKCHAINS } from '../../protocol/chains.ts'
import { table } from '../markdown-table.ts'
import { PARTS, SETTINGS, type Setting } from './settings.ts'

/** The example of a production configuration, which lists every setting. */
export const EXAMPLE = new URL('../../.env.production.example', import.meta.url)
const WIDTH = 120
const HEAD = [
  'Copy to .env.production (git ignores it), fill in, run `npm run deploy`. An empty value is the default.',
  'Made by `npm run docs:limits`; docs/operate/settings.md has the same settings.',
]

/** What is in {@link EXAMPLE}. */
export function exampleText(): string {
  const parts = partsOf(exampleOf)
  const texts = parts.map(([title, settings]) => [`# == ${title} ==\n`, ...settings].join('\n'))
  return `${[HEAD.map((line) => `# ${line}`).join('\n'), ...texts].join('\n\n')}\n`
}

/** A setting as an example has it: its words as a comment, and its variables. */
export function exampleOf([name, { what, why, example = '', made }]: [string, Omit<Setting, 'part'>]): string {
  return [
    ...wrap(`${what} ${why}`, '# ', '# '),
    ...(made ? [`# ${made}`] : []),
    ...namesOf(name).map((one) => `${one}=${example}`),
  ].join('\n')
}

/** The sections of docs/operate/settings.md that list the settings, each with a table. */
export function settingsTables(): string {
  const sections = Object.entries(PARTS).map(([part, title]) => {
    const rows = [...SETTINGS].filter(([, setting]) => setting.part === part)
    const cells = rows.map(([name, { what, why }]) => [`\`${name}\``, what, why] as const)
    return `## ${title}\n\n${table(['setting', 'what it is', 'why one would set it'], cells)}`
  })
  return `\n${sections.join('\n')}\n`
}

function partsOf(write: (setting: [string, Setting]) => string): [title: string, settings: string[]][] {
  return Object.entries(PARTS).map(([part, title]) => [
    title,
    [...SETTINGS].filter(([, setting]) => setting.part === part).map(write),
  ])
}

/** The variables of a setting: one, or one for each chain. */
export function namesOf(name: string): string[] {
  if (!name.endsWith('<CHAIN>')) return [name]
  return BLOCKCHAINS.map((blockchain) => name.replace('<CHAIN>', blockchain.toUpperCase()))
}

/** Lines of at most {@link WIDTH} characters; a word that is longer has a line of its own. */
function wrap(text: string, first: string, next: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined) lines.push(first + word)
    else if (last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(next + word)
  }
  return lines
}
