import { openAccount } from '../account/open-account.ts'
import { formatTime } from '../output/format-time.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { printList } from '../run/print-list.ts'

export async function run(context: Context): Promise<Outcome> {
  const { client } = await openAccount(context)
  return printList(context, client.keys.list({ signal: context.signal }), 'There are no API keys.', (key) => {
    const { id, name, scopes, expiresAt, createdAt, lastUsedAt, spending } = key
    const json = {
      id,
      name,
      scopes,
      expiresAt: expiresAt ?? null,
      createdAt: createdAt ?? null,
      lastUsedAt: lastUsedAt ?? null,
      spending: spending ?? null,
    }
    const until = expiresAt === undefined ? 'without end' : `until ${formatTime(expiresAt)}`
    const unlimited = scopes.includes('pay') && spending === undefined ? '  (no spending limit)' : ''
    return { json, text: `${id}  ${scopes.join(',').padEnd(22)}  ${until}  ${name}${unlimited}` }
  })
}
