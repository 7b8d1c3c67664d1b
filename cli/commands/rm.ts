import { openAccount } from '../account/open-account.ts'
import { askYes } from '../run/ask.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { doEach } from '../run/do-each.ts'
import { checkIds } from '../run/object-id.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const ids = checkIds(line.words)
  const { client } = await openAccount(context)
  if (!line.has('yes')) {
    const sure = await askYes(
      context,
      `Delete ${ids.length === 1 ? 'this item' : `these ${ids.length} items`}?`,
      'Give --yes.',
    )
    if (!sure) throw usageError('Nothing was deleted.')
  }
  return doEach(context, ids, 'deleted', (id) => client.items.delete(id, { signal }))
}
