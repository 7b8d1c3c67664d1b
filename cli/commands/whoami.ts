import { readProfile } from '../../client/answers/read-answers.ts'
import { Fields, readString } from '../../client/http/parse-json.ts'
import { openAccount } from '../account/open-account.ts'
import { formatTime } from '../output/format-time.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const account = await openAccount(context)
  const { body } = await account.client.request({ method: 'GET', path: '/v0/user', signal: context.signal })
  const { id, email, role, permissions } = readProfile(body)
  const answer = new Fields(body, 'The profile')
  // Set if the request was made with an API key.
  const key = answer.has('key') ? answer.object('key') : undefined
  const scopes = key?.optionalList('scopes', readString) ?? permissions
  const expiresAt = key?.optionalNumber('expiresAt') ?? account.expiresAt
  const result = {
    api: account.api.origin,
    id,
    email,
    role,
    key: {
      kind: account.kind,
      from: account.from,
      name: key?.optionalString('name') ?? null,
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
