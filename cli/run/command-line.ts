import type { Context } from './context.ts'

/** The command line with its arguments quoted for a POSIX shell, so that it can be run again. */
export function commandLine({ argv }: Pick<Context, 'argv'>): string {
  return ['hookline', ...argv.map(quote)].join(' ')
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
