import { openAccount } from '../account/open-account.ts'
import type { Context } from '../run/context.ts'
import { doEach } from '../run/do-each.ts'
import { checkIds } from '../run/object-id.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const ids = checkIds(line.words)
  const { client } = await openAccount(context)
  return doEach(context, ids, 'hidden', (id) => client.items.update(id, { hidden: true }, { signal }))
}
