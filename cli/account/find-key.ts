import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { userFolders } from '../../client/stores/user-folders.ts'
import { CommandError, usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { readSettings } from './read-settings.ts'

/** A key from outside the credential file, and its origin. */
export interface GivenKey {
  key: string
  /** For people: "HOOKLINE_KEY", "the file /run/secrets/key (HOOKLINE_KEY_FILE)". */
  from: string
}

const MAX_KEY_BYTES = 16_384

/**
 * The key in the environment, in the file that it names, or from the program in config.json; `undefined` if there is
 * none.
 */
export async function findKey(
  { env, signal }: Pick<Context, 'env' | 'signal'>,
  api: URL,
): Promise<GivenKey | undefined> {
  if (env.HOOKLINE_KEY) return { key: checkKey(env.HOOKLINE_KEY, 'HOOKLINE_KEY'), from: 'HOOKLINE_KEY' }
  if (env.HOOKLINE_KEY_FILE) {
    const from = `the file ${env.HOOKLINE_KEY_FILE} (HOOKLINE_KEY_FILE)`
    return { key: checkKey(await readFile(env.HOOKLINE_KEY_FILE, 'utf8'), from), from }
  }
  const settings = await readSettings(userFolders(env).config)
  const [program, ...rest] = settings.keyCommand ?? []
  // The program's key is for one service, as a stored login is.
  if (program === undefined || settings.api === undefined || new URL(settings.api).origin !== api.origin)
    return undefined
  try {
    const { stdout } = await promisify(execFile)(program, rest, { signal, maxBuffer: MAX_KEY_BYTES })
    return { key: checkKey(stdout, 'key_command'), from: `the program ${program} (key_command)` }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(EXIT.signIn, 'key_command_failed', `The program ${program} (key_command) failed.`, {
      cause: error,
    })
  }
}

/**
 * The key without its line end.
 * @throws {CommandError} 2 if it has characters that a header cannot carry
 */
export function checkKey(text: string, from: string): string {
  const key = text.trim()
  if (key === '') throw usageError(`${from} is empty.`)
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > MAX_KEY_BYTES)
    throw usageError(`${from} does not contain a key. A key is one line without spaces.`)
  return key
}
