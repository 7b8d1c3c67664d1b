import { readFileSync } from 'node:fs'

/** Where settings are unless `--env` says another file. */
export const SETTINGS_FILE = '/etc/hookline/env'

export interface GivenSettings {
  values: Record<string, string | undefined>
  /** The names that a file has, each of which has to be a setting. */
  named: string[]
}

/**
 * The settings of a file, and over them those of the environment. Without the file, or without the right to read it (as
 * under systemd, which has read it), the environment alone. @throws {Error} where the file was named and can't be read.
 */
export function readSettings(file: string | undefined, env: NodeJS.ProcessEnv): GivenSettings {
  const text = readText(file)
  const own = text === undefined ? {} : parseSettings(text)
  return { values: { ...own, ...env }, named: Object.keys(own) }
}

/**
 * `NAME=value` lines, as systemd reads them: a value is taken as it is, or without the quotes around it; a line that
 * begins with `#` or `;` is a comment. @throws {Error} of a line that is neither.
 */
export function parseSettings(text: string): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || /^[#;]/.test(trimmed)) continue
    const [, name, value = ''] = /^([A-Za-z_]\w*)=(.*)$/.exec(trimmed) ?? []
    if (name === undefined) throw new Error(`Line ${index + 1} of the settings is not NAME=value.`)
    const [, quoted] = /^(?:"([^"]*)"|'([^']*)')$/.exec(value)?.filter((part) => part !== undefined) ?? []
    values[name] = quoted ?? value
  }
  return values
}

function readText(file: string | undefined): string | undefined {
  try {
    return readFileSync(file ?? SETTINGS_FILE, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (file === undefined && (code === 'ENOENT' || code === 'EACCES')) return undefined
    throw new Error(`${file ?? SETTINGS_FILE} cannot be read (${String(code)}).`, { cause: error })
  }
}
