import { isRecord } from '../../worker/platform/http/is-record.ts'
import { ApiError, type AskApi, cloudflareApi } from './ask-api.ts'

/** The account that an environment is deployed to, with the token of its settings. */
export interface Account {
  id: string
  token: string
  ask: AskApi
}

type Settings = Record<string, string | undefined>

/**
 * The account of an environment's settings, or of the variables of this process.
 * @throws {ApiError} where there is no token, or it is of several accounts and none is named
 */
export async function openAccount(settings: Settings, variables: Settings = process.env): Promise<Account> {
  const token = settings.CLOUDFLARE_API_TOKEN || variables.CLOUDFLARE_API_TOKEN
  if (!token)
    throw new ApiError('CLOUDFLARE_API_TOKEN is not set: this command needs a token, a login is not enough.', 0)
  const base = variables.CLOUDFLARE_API_BASE_URL || 'https://api.cloudflare.com/client/v4'
  const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  const ask = cloudflareApi(base, token, { now: Date.now, wait })
  const named = settings.CLOUDFLARE_ACCOUNT_ID || variables.CLOUDFLARE_ACCOUNT_ID
  return { id: named || (await onlyAccount(ask)), token, ask }
}

async function onlyAccount(ask: AskApi): Promise<string> {
  const accounts = await ask('GET', '/accounts')
  const ids = Array.isArray(accounts) ? accounts.flatMap((one: unknown) => (isRecord(one) ? [String(one.id)] : [])) : []
  const [id] = ids
  if (id !== undefined && ids.length === 1) return id
  throw new ApiError(`The token is of ${ids.length} accounts: set CLOUDFLARE_ACCOUNT_ID.`, 0)
}

/** The id of a D1 database. @throws {ApiError} where there is none of that name */
export async function findDatabaseId({ id, ask }: Account, name: string): Promise<string> {
  const found = await ask('GET', `/accounts/${id}/d1/database?per_page=1000&name=${encodeURIComponent(name)}`)
  const list: unknown[] = Array.isArray(found) ? found : []
  const database = list.find((one) => isRecord(one) && one.name === name)
  if (isRecord(database)) return String(database.uuid)
  throw new ApiError(`There is no D1 database "${name}" in this account.`, 404)
}
