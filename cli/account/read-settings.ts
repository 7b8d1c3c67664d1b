import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Fields, readString } from '../../client/http/parse-json.ts'
import { CommandError } from '../run/command-error.ts'
import { EXIT } from '../run/exit-codes.ts'

/** The settings of config.json. */
export interface Settings {
  /** The service to talk to. */
  api?: string
  /** A program with arguments that prints a key for `api`. It is run without a shell. */
  keyCommand?: string[]
}

/**
 * The settings in `config.json` (`{"api": "…", "key_command": ["pass", "show", "hookline"]}`); empty if there is no
 * file.
 */
export async function readSettings(configFolder: string): Promise<Settings> {
  const path = join(configFolder, 'config.json')
  try {
    const file = new Fields(JSON.parse(await readFile(path, 'utf8')), 'The file')
    const api = file.optionalString('api')
    const keyCommand = file.optionalList('key_command', readString)
    return { ...(api !== undefined && { api }), ...(keyCommand !== undefined && { keyCommand }) }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw new CommandError(EXIT.usage, 'config_unreadable', `${path} is not a valid settings file.`, {
      hint: 'It is {"api": "https://…", "key_command": ["program", "argument"]}, both optional.',
      cause: error,
    })
  }
}
