import { expiryOf, memoryTokenStore } from '../../client/auth/session.ts'
import { type Client, createClient } from '../../client/create-client.ts'
import { Fields } from '../../client/http/parse-json.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import { chooseApi } from '../account/choose-api.ts'
import { credentialPath, readCredentials, type SignIn, saveSignIn } from '../account/credential-store.ts'
import { checkKey, findKey } from '../account/find-key.ts'
import { clientOptions } from '../account/open-account.ts'
import { askSecret, askText } from '../run/ask.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { readSecretLine } from '../run/read-stdin.ts'

const DAY_SECONDS = 86_400

export async function run(context: Context): Promise<Outcome> {
  const { line, stdin } = context
  if (line.has('password-stdin') && line.has('key-stdin'))
    throw usageError('stdin can hold a password or a key, not both.')
  const days = readDays(line.value('days'), 30)
  const api = await chooseApi(context)
  const key = line.has('key-stdin')
    ? checkKey(await readSecretLine(stdin, '--key-stdin'), 'stdin')
    : line.value('email') === undefined && !line.has('password-stdin')
      ? (await findKey(context, api))?.key
      : undefined
  return key === undefined ? logInByPassword(context, api, days) : logInByKey(context, api, key)
}

/**
 * A number of days on the command line.
 * @throws {CommandError} 2
 */
export function readDays(text: string | undefined, fallback: number): number {
  const days = text === undefined ? fallback : Number(text)
  if (!Number.isInteger(days) || days < 1 || days > 365)
    throw usageError('--days must be a whole number from 1 to 365.')
  return days
}

async function logInByKey(context: Context, api: URL, key: string): Promise<Outcome> {
  const client = createClient({ ...clientOptions(context, api), key })
  const { id: account, email } = await client.account.get({ signal: context.signal })
  if (!context.line.has('no-store'))
    await keep(context, api, { kind: 'key', secret: key, account, email, expiresAt: expiryOf(key) })
  return signedIn(context, api, email, undefined)
}

async function logInByPassword(context: Context, api: URL, days: number): Promise<Outcome> {
  const { line, signal } = context
  const given = line.value('email') ?? (await askText(context, 'Email address', INSTEAD_OF_EMAIL))
  const password = line.has('password-stdin')
    ? await readSecretLine(context.stdin, '--password-stdin')
    : await askSecret(context, 'Password', INSTEAD_OF_PASSWORD)
  // A file that others can read, or of another program, is replaced by this login.
  const kept = await readCredentials(userFolders(context.env).config).catch(() => undefined)
  const earlier = kept?.signIns[api.origin]
  const tokens = memoryTokenStore(earlier?.kind === 'session' ? earlier.secret : undefined)
  const client = createClient({ ...clientOptions(context, api), tokens })
  await client.login(given.trim().toLowerCase(), password, { signal })
  const token = (await tokens.load()) ?? ''
  const { id: account, email } = await client.account.get({ signal })
  if (line.has('no-store')) {
    const { body } = await client.request({ method: 'PUT', path: '/v0/token', json: { token }, auth: false, signal })
    // The access token stays valid until it expires; nothing else remains.
    await client.logout({ signal })
    return signedIn(context, api, email, new Fields(body, 'The answer').string('accessToken'))
  }
  const secret = await prolong(client, token, days, signal)
  await keep(context, api, { kind: 'session', secret, account, email, expiresAt: expiryOf(secret) })
  return signedIn(context, api, email, undefined)
}

const INSTEAD_OF_EMAIL =
  'Give --email and --password-stdin, or a key by --key-stdin, HOOKLINE_KEY or HOOKLINE_KEY_FILE.'
const INSTEAD_OF_PASSWORD = 'Give --password-stdin, or a key by --key-stdin, HOOKLINE_KEY or HOOKLINE_KEY_FILE.'

/** Exchanges the refresh token of a login, valid for a day, for one that is valid longer. */
async function prolong(client: Client, token: string, days: number, signal: AbortSignal): Promise<string> {
  const json = { exp: days * DAY_SECONDS, token }
  const { body } = await client.request({ method: 'PATCH', path: '/v0/token', json, signal })
  const longer = new Fields(body, 'The answer').string('refreshToken')
  await client.request({ method: 'DELETE', path: '/v0/token', json: { token }, accept: [400], signal })
  return longer
}

async function keep(context: Context, api: URL, signIn: SignIn): Promise<void> {
  const { config } = userFolders(context.env)
  context.output.note(`The credentials are stored as plain text in ${credentialPath(config)}, which only you can read.`)
  await saveSignIn(config, api.origin, signIn)
}

function signedIn({ line, env }: Context, api: URL, email: string, accessToken: string | undefined): Outcome {
  const stored = !line.has('no-store')
  const path = stored ? credentialPath(userFolders(env).config) : null
  const result = { api: api.origin, email, stored, path, ...(accessToken !== undefined && { accessToken }) }
  return { result, text: [accessToken ?? `Signed in to ${api.origin} as ${email}.`] }
}
