import { createClient } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import type { ApiRequest } from '../../client/http/transport.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import { inWords, LIFETIMES } from '../../contract/lifetimes.ts'
import { askSecret, canAsk } from '../run/ask.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { readCredentials } from './credential-store.ts'
import { type Account, clientOptions } from './open-account.ts'

/**
 * The response to a request that needs a login within the last minutes (a new key, a withdrawal). If the login is too
 * old, asks for the password and sends this request with a new session.
 * @throws {CommandError} 4 if there is no terminal to ask at
 */
export async function sendWithRecentLogin(context: Context, account: Account, request: ApiRequest): Promise<unknown> {
  const { signal, env } = context
  try {
    return (await account.client.request({ ...request, signal })).body
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'login_again')) throw error
    const kept = (await readCredentials(userFolders(env).config)).signIns[account.api.origin]
    if (!kept || !canAsk(context)) {
      const { requestId } = error
      const hint = `Run hookline login, then this again within ${inWords(LIFETIMES.recentLogin)}.`
      throw new CommandError(EXIT.signIn, error.code, error.message, {
        hint,
        ...(requestId !== undefined && { requestId }),
      })
    }
    const password = await askSecret(context, `Password of ${kept.email}`, 'Run hookline login first.')
    const client = createClient(clientOptions(context, account.api))
    await client.login(kept.email, password, { signal })
    try {
      return (await client.request({ ...request, signal })).body
    } finally {
      await client.logout({ signal })
    }
  }
}
