import { userFolders } from '../../client/stores/user-folders.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { readCredentials } from './credential-store.ts'
import { readSettings } from './read-settings.ts'

/** The address of a service on this machine, started by `npm start`. */
const LOCAL = 'http://127.0.0.1:8787'

/**
 * The service of this run, from --api, HOOKLINE_API, config.json, the last login, or this machine, in that order.
 * @throws {CommandError} 2
 */
export async function chooseApi({ line, env }: Context): Promise<URL> {
  const { config } = userFolders(env)
  const given = line.value('api') ?? (env.HOOKLINE_API || undefined)
  const text = given ?? (await readSettings(config)).api ?? (await readCredentials(config)).last ?? LOCAL
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(
      `${JSON.stringify(text)} is not the address of a service.`,
      'An address looks like https://api.example.',
    )
  }
  if (url.username || url.password)
    throw usageError('The address of the service must not contain a user or a password.')
  return url
}
