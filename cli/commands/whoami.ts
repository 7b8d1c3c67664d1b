import { openAccount } from '../account/open-account.ts'
import { formatTime } from '../output/format-time.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const account = await openAccount(context)
  // `key` is set if the request was made with an API key.
  const { id, email, role, permissions, key } = await account.client.account.get({ signal: context.signal })
  const scopes = key?.scopes ?? permissions
  const expiresAt = key?.expiresAt ?? account.expiresAt
  const result = {
    api: account.api.origin,
    id,
    email,
    role,
    key: {
      kind: account.kind,
      from: account.from,
      name: key?.name ?? null,
      scopes,
      expiresAt: expiresAt ?? null,
    },
  }
  const text = [
    `account  ${email} (${id})`,
    `service  ${account.api.origin}`,
    `key      ${account.kind === 'key' ? 'a key' : 'a sign-in'} from ${account.from}`,
    `may      ${scopes.join(', ') || 'nothing'}`,
    `until    ${expiresAt === undefined ? 'not told' : formatTime(expiresAt)}`,
  ]
  return { result, text }
}
