import { openAccount } from '../account/open-account.ts'
import type { Context } from '../run/context.ts'
import { doEach } from '../run/do-each.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const { client } = await openAccount(context)
  return doEach(context, line.words, 'revoked', (id) => client.keys.revoke(encodeURIComponent(id), { signal }))
}
