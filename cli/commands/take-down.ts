import { openAccount } from '../account/open-account.ts'
import { confirmDeletion } from '../run/ask.ts'
import type { Context } from '../run/context.ts'
import { doEach } from '../run/do-each.ts'
import { checkIds } from '../run/object-id.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const ids = checkIds(line.words)
  const { client } = await openAccount(context)
  const what = ids.length === 1 ? 'this item' : `these ${ids.length} items`
  await confirmDeletion(context, `Take down ${what}? It cannot be undone, and others may keep copies.`, 'taken down')
  return doEach(context, ids, 'takenDown', (id) => client.items.takeDown(id, { signal }))
}
