import { openAccount } from '../account/open-account.ts'
import { confirmDeletion } from '../run/ask.ts'
import type { Context } from '../run/context.ts'
import { doEach } from '../run/do-each.ts'
import { checkOrderIds } from '../run/object-id.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const ids = checkOrderIds(line.words)
  const { client } = await openAccount(context)
  const what = ids.length === 1 ? 'this order' : `these ${ids.length} orders`
  await confirmDeletion(context, `Delete what is unpaid of ${what}, and cancel its payments?`)
  return doEach(context, ids, 'deleted', (id) => client.orders.delete(id, { signal }))
}
