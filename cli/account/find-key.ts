import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { userFolders } from '../../client/stores/user-folders.ts'
import { CommandError, usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { readSettings } from './read-settings.ts'

/** An API key that is not from the credential file, and its source. */
export interface ExternalKey {
  key: string
  /** Text for display: "HOOKLINE_KEY", "the file /run/secrets/key (HOOKLINE_KEY_FILE)". */
  source: string
}

const MAX_KEY_BYTES = 16_384

/**
 * The API key from HOOKLINE_KEY, from the file in HOOKLINE_KEY_FILE, or from the output of the program `key_command` in
 * config.json, in this order; `undefined` if none of them is set.
 */
export async function findKey(
  { env, signal }: Pick<Context, 'env' | 'signal'>,
  api: URL,
): Promise<ExternalKey | undefined> {
  if (env.HOOKLINE_KEY) return { key: checkKey(env.HOOKLINE_KEY, 'HOOKLINE_KEY'), source: 'HOOKLINE_KEY' }
  if (env.HOOKLINE_KEY_FILE) {
    const source = `the file ${env.HOOKLINE_KEY_FILE} (HOOKLINE_KEY_FILE)`
    return { key: checkKey(await readFile(env.HOOKLINE_KEY_FILE, 'utf8'), source), source }
  }
  const settings = await readSettings(userFolders(env).config)
  const [program, ...rest] = settings.keyCommand ?? []
  // A key from `key_command` is only sent to the API in config.json.
  if (program === undefined || settings.api === undefined || new URL(settings.api).origin !== api.origin)
    return undefined
  try {
    const { stdout } = await promisify(execFile)(program, rest, { signal, maxBuffer: MAX_KEY_BYTES })
    return { key: checkKey(stdout, 'key_command'), source: `the program ${program} (key_command)` }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(EXIT.signIn, 'key_command_failed', `The program ${program} (key_command) failed.`, {
      cause: error,
    })
  }
}

/**
 * The key without leading and trailing whitespace.
 * @throws {CommandError} exit code 2 if it is empty, too long, or has characters that are invalid in an HTTP header
 */
export function checkKey(text: string, source: string): string {
  const key = text.trim()
  if (key === '') throw usageError(`${source} is empty.`)
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > MAX_KEY_BYTES)
    throw usageError(`${source} does not contain a key. A key is one line without spaces.`)
  return key
}
