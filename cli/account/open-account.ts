import { createHash } from 'node:crypto'
import { expiryOf, type TokenStore } from '../../client/auth/session.ts'
import { type Client, type ClientOptions, createClient } from '../../client/create-client.ts'
import { fileStore } from '../../client/stores/file-store.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { chooseApi } from './choose-api.ts'
import { credentialPath, readCredentials, type SignIn, saveSignIn } from './credential-store.ts'
import { findKey } from './find-key.ts'

/** The service, with the credentials of an account. */
export interface Account {
  api: URL
  client: Client
  /** Where the key came from, for people. */
  from: string
  kind: 'session' | 'key'
  /** Unix seconds, if known. */
  expiresAt: number | undefined
}

/**
 * The account of this run.
 * @throws {CommandError} 4 without credentials, before any request
 */
export async function openAccount(context: Context): Promise<Account> {
  const api = await chooseApi(context)
  const given = await findKey(context, api)
  if (given) {
    const client = createClient({ ...clientOptions(context, api), key: given.key })
    return { api, client, from: given.source, kind: 'key', expiresAt: expiryOf(given.key) }
  }
  const { config } = userFolders(context.env)
  const signIn = (await readCredentials(config)).signIns[api.origin]
  if (!signIn) throw signInNeeded(`You are not signed in to ${api.origin}.`)
  const { kind, expiresAt, secret } = signIn
  const opened = kind === 'key' ? { key: secret } : { tokens: storedToken(config, api, signIn), rotate: true }
  const client = createClient({ ...clientOptions(context, api), ...opened })
  return { api, client, from: credentialPath(config), kind, expiresAt }
}

/** The service without credentials. */
export async function openService(context: Context): Promise<{ api: URL; client: Client }> {
  const api = await chooseApi(context)
  return { api, client: createClient(clientOptions(context, api)) }
}

function signInNeeded(message: string): CommandError {
  return new CommandError(EXIT.signIn, 'sign_in_needed', message, {
    hint: 'Sign in with hookline login, or set HOOKLINE_KEY or HOOKLINE_KEY_FILE.',
  })
}

/** Options of the client. Waiting is reported on stderr, and with HOOKLINE_DEBUG every request is. */
export function clientOptions({ fetch, now, output, env, line, version }: Context, api: URL): ClientOptions {
  return {
    api,
    fetch,
    now,
    timeout: TIMEOUT_MS,
    allowHttp: env.HOOKLINE_ALLOW_HTTP === '1',
    headers: { 'User-Agent': `hookline/${version}` },
    state: fileStore(userFolders(env).state, { anew: line.has('new') }),
    createSha256: () => createHash('sha256'),
    onRequest({ method, url, status, requestId, duration, retryIn }) {
      const answer = status === 0 ? 'no answer' : `status ${status}`
      const request = requestId ? `, request ${requestId}` : ''
      if (env.HOOKLINE_DEBUG) output.note(`${method} ${url}: ${answer} in ${duration} ms${request}`)
      if (retryIn !== undefined && retryIn >= 1000) {
        output.note(`${api.host} gave ${answer}; trying again in ${Math.ceil(retryIn / 1000)} s.`)
      }
    },
  }
}

/** Enough for one piece of 1 MiB on a slow connection. */
const TIMEOUT_MS = 120_000

/** Reads the stored refresh token each time, since another run may have replaced it, and stores replacements. */
function storedToken(config: string, api: URL, signIn: SignIn): TokenStore {
  return {
    load: async () => (await readCredentials(config)).signIns[api.origin]?.secret,
    save: async (token) => {
      if (token !== undefined) await saveSignIn(config, api.origin, { ...signIn, secret: token })
    },
  }
}
