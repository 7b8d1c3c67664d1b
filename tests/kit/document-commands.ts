import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../docs/operate', import.meta.url))

/** The pages for operators, by their paths below `docs/operate`. */
export function operatePages(): Map<string, string> {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'))
  return new Map(files.sort().map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]))
}

/** A command that a page tells to run, as one line without comments. */
export interface DocumentCommand {
  page: string
  command: string
}

const PROGRAMS = /^(?:npm|npx|git|curl|node|bitcoin-cli|age-keygen|cp|sha256sum|for|TOKEN=|\$EDITOR)/

/** All commands of the pages: the lines of their blocks of shell, and what is named in a sentence with its arguments. */
export function documentCommands(): DocumentCommand[] {
  return [...operatePages()].flatMap(([page, text]) => {
    const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block = '']) =>
      block.replaceAll(/\\\n\s*/g, '').split('\n'),
    )
    const named = [...text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
    const commands = [...blocks, ...named].map((line) =>
      line
        .replaceAll(/\s+/g, ' ')
        .replace(/\s+# .*$/, '')
        .trim(),
    )
    return [...new Set(commands)]
      .filter((command) => PROGRAMS.test(command) && command.includes(' '))
      .map((command) => ({ page, command }))
  })
}

/** The words of a command line, as a shell reads them: with quotes, and without what a shell would replace. */
export function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  )
}
