import { openAccount } from '../account/open-account.ts'
import { formatTime } from '../output/format-time.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { output, signal } = context
  const { client } = await openAccount(context)
  let count = 0
  for await (const key of client.keys.list({ signal })) {
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
    await output.entry(json, `${id}  ${scopes.join(',').padEnd(22)}  ${until}  ${name}${unlimited}`)
    count++
  }
  if (count === 0) output.note('There are no API keys.')
  return { result: null }
}
