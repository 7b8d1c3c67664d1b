import { createClient } from '../../client/create-client.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import { chooseApi } from '../account/choose-api.ts'
import { readCredentials, saveSignIn } from '../account/credential-store.ts'
import { clientOptions } from '../account/open-account.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { env, signal, output } = context
  const { config } = userFolders(env)
  const api = await chooseApi(context)
  const signIn = (await readCredentials(config)).signIns[api.origin]
  if (!signIn) {
    return { result: { api: api.origin, revoked: false }, text: [`You were not signed in to ${api.origin}.`] }
  }
  // Deleted here first, so that a network failure does not leave it on this machine.
  await saveSignIn(config, api.origin, undefined)
  if (signIn.kind === 'key') {
    const text = `The key for ${api.origin} was deleted from this machine. It stays valid until you revoke it with hookline keys revoke.`
    return { result: { api: api.origin, revoked: false }, text: [text] }
  }
  const kept = { load: async () => signIn.secret, save: async () => undefined }
  const client = createClient({ ...clientOptions(context, api), tokens: kept })
  try {
    await client.logout({ signal })
  } catch (error) {
    output.note(
      'The login was deleted from this machine. The service could not be reached to revoke it; it expires by itself.',
    )
    throw error
  }
  return { result: { api: api.origin, revoked: true }, text: [`Signed out of ${api.origin}.`] }
}
